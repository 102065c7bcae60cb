#include "app/claims_files.h"

#include "testing/testing.h"

namespace crossbind::app {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class ClaimsFilesTest : public testing::ScratchTest {
 protected:
  std::filesystem::path ready_ = testing::source_path("claims");
};

TEST_F(ClaimsFilesTest, ThatAreReadyAreReadInTheOrderOfTheirNames) {
  const auto lists = read_ready_claims(ready_).value();
  ASSERT_THAT(lists, Not(IsEmpty()));
  EXPECT_TRUE(std::ranges::is_sorted(lists, {}, &claims::NamedList::name));
  const auto one = read_claims({lists.front().name}, ready_).value();
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(one.front().name, lists.front().name);
}

TEST_F(ClaimsFilesTest, OfTheUserAreNamedByTheirPath) {
  const auto ready = read_ready_claims(ready_).value();
  const auto path = scratch("mine.toml");
  std::filesystem::copy_file(ready_ / (ready.front().name + ".toml"), path);
  EXPECT_EQ(read_claims({path.string()}, scratch("nothing"))->front().name, "mine");
}

TEST_F(ClaimsFilesTest, ThatAreNotThereAreErrorsThatNameThoseThatAre) {
  EXPECT_THAT(
      read_claims({"nobody"}, ready_),
      fails_with(AllOf(HasSubstr("no ready claims file 'nobody'"), HasSubstr("Ready are"))));
  EXPECT_THAT(read_ready_claims(scratch("nothing")),
              fails_with(HasSubstr("there are no claims files")));
}

}  // namespace
}  // namespace crossbind::app
