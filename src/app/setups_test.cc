#include "app/setups.h"

#include "workers/fixtures.h"

namespace crossbind::app {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SetupsTest : public workers::WorkersTest {
 protected:
  [[nodiscard]] Result<SetupCounts> set_up(const std::vector<std::string>& patterns) {
    told_.clear();
    return set_up_all(patterns, places_, watch_, [&](const auto& binding, const auto& came_of_it) {
      told_.push_back(binding.name + (came_of_it ? " is ready" : " failed"));
    });
  }

  workers::RecordedWatch watch_;
  std::vector<std::string> told_;
};

TEST_F(SetupsTest, GoOnAfterOneThatFails) {
  add_worker("awk", "exit 1\n");
  add_worker("sh", workers::kInstall);
  EXPECT_EQ(set_up({"toy/*"}).value(), (SetupCounts{.ready = 1, .failed = 1}));
  EXPECT_THAT(told_, ElementsAre("toy/awk failed", "toy/sh is ready"));
}

TEST_F(SetupsTest, PassOverWhatHasNoWorkerUnlessItIsNamed) {
  add_worker("sh", workers::kInstall);
  write("bindings.toml", "[[bindings]]\nname = \"toy/csharp\"\nmissing = \"no .NET SDK\"\n");
  EXPECT_EQ(set_up({"*"}).value(), (SetupCounts{.ready = 1, .without_worker = 1}));
  EXPECT_THAT(told_, ElementsAre("toy/sh is ready"));
  EXPECT_EQ(set_up({"toy/csharp"}).value(), (SetupCounts{.failed = 1}));
  EXPECT_THAT(told_, ElementsAre("toy/csharp failed"));
}

TEST_F(SetupsTest, OfWhatThereIsNotSetNothingUp) {
  add_worker("sh", workers::kInstall);
  EXPECT_THAT(set_up({"toy/sh", "toy/perl"}), fails_with(HasSubstr("toy/perl")));
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(watch_.told, IsEmpty());
}

}  // namespace
}  // namespace crossbind::app
