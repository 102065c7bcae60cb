#include "place/library_hashes.h"

#include <unistd.h>

#include "testing/testing.h"

namespace crossbind::place {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(LibraryHashes, AreThoseOfTheFilesThatAProcessHasLoaded) {
  LibraryHashes hashes;
  const auto own = hashes.of_process(::getpid());
  ASSERT_THAT(own, Contains(Pair(StartsWith("library libc.so"), SizeIs(64))));
  EXPECT_EQ(hashes.of_process(::getpid()), own);
}

TEST(LibraryHashes, OfAProcessThatIsGoneAreEmpty) {
  constexpr pid_t kNobody = 1 << 29;  // above the largest pid there can be
  EXPECT_THAT(LibraryHashes().of_process(kNobody), IsEmpty());
}

}  // namespace
}  // namespace crossbind::place
