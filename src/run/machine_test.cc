// What is found out of the machine, and the wish to stop.
#include <poll.h>
#include <unistd.h>

#include "run/host.h"
#include "run/library_hashes.h"
#include "run/stop_signal.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(Host, IsDescribedByNamesAndValues) {
  const auto host = describe_host("1.2.3");
  for (const std::string name : {"kernel",
                                 "architecture",
                                 "memory_bytes",
                                 "cpu",
                                 "cpus",
                                 "system",
                                 "glibc",
                                 "crossbind",
                                 "crossbind_revision"}) {
    ASSERT_THAT(host, Contains(Key(name)));
    EXPECT_THAT(host.at(name), Not(IsEmpty())) << name;
  }
  EXPECT_THAT(host, SizeIs(host.contains("gpu") ? 10 : 9));
  EXPECT_EQ(host.at("crossbind"), "1.2.3");
  EXPECT_GT(std::stoll(host.at("memory_bytes")), 1 << 20);
  EXPECT_GE(std::stoi(host.at("cpus")), 1);
}

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

bool is_readable(int descriptor) {
  pollfd wait{descriptor, POLLIN, 0};
  return ::poll(&wait, 1, 0) == 1;
}

TEST(StopSignal, IsRaisedInTwoDegrees) {
  StopSignal stop;
  EXPECT_FALSE(stop.is_raised());
  EXPECT_FALSE(is_readable(stop.orderly_descriptor()));
  stop.raise();
  EXPECT_TRUE(stop.is_raised());
  EXPECT_FALSE(stop.is_urgent());
  EXPECT_TRUE(is_readable(stop.orderly_descriptor()));
  EXPECT_FALSE(is_readable(stop.urgent_descriptor()));
  for (int i = 0; i < 3; ++i) {
    stop.raise();
    EXPECT_TRUE(stop.is_urgent());
    EXPECT_TRUE(is_readable(stop.orderly_descriptor()));
    EXPECT_TRUE(is_readable(stop.urgent_descriptor()));
  }
}

TEST(StopSignal, LeavesErrnoAlone) {
  StopSignal stop;
  errno = EDOM;
  stop.raise();
  EXPECT_EQ(errno, EDOM);
}

}  // namespace
}  // namespace crossbind::run
