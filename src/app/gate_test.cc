#include "app/gate.h"

#include <map>

#include "report/made_up.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::StartsWith;

class GateTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::string place(const std::string& name) const { return scratch(name).string(); }

  void make(const std::string& name) const {
    ASSERT_THAT(report::make_up(*store::open(place(name)).value()), is_ok());
  }

  static FindVariable environment(const std::map<std::string, std::string>& variables) {
    return [variables](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
  }
};

TEST_F(GateTest, HoldsTheStoresAtTwoPlacesAgainstEachOther) {
  make("a.db");
  make("b.db");
  const auto gate =
      gate_between({place("a.db"), place("b.db"), {.max_slowdown = 0.05, .allow_unchanged = true}});
  ASSERT_THAT(gate, is_ok());
  EXPECT_GT(gate->compared, 0U);
  EXPECT_EQ(gate->decision, decide::GateDecision::kPassed);
  EXPECT_THAT(gate_between({place("a.db"), place("none.db"), {}}),
              fails_with(HasSubstr("none.db")));
}

TEST_F(GateTest, HoldsAStoreAgainstItself) {
  make("a.db");
  const auto test = gate_on_itself(place("a.db"), {}, {.resamplings = 7, .seed = 1});
  ASSERT_THAT(test, is_ok());
  EXPECT_EQ(test->resamplings, 7U);
  EXPECT_GT(test->comparisons, 0U);
}

TEST_F(GateTest, TellsGitHubInAWorkflowOrWhereItIsAskedTo) {
  EXPECT_FALSE(github_step(environment({}), false));
  EXPECT_FALSE(github_step(environment({{"GITHUB_ACTIONS", "false"}}), false));
  EXPECT_TRUE(github_step(environment({}), true));
  const auto step = github_step(
      environment({{"GITHUB_ACTIONS", "true"}, {"GITHUB_STEP_SUMMARY", "sum.md"}}), false);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->summary, "sum.md");
}

TEST_F(GateTest, AddsToAStepsSummaryWhereThereIsOne) {
  const decide::Gate gate;
  EXPECT_THAT(add_to_summary(gate, {}), is_ok());
  const GitHubStep step{scratch("summary.md")};
  ASSERT_THAT(write_file(step.summary, "before\n"), is_ok());
  ASSERT_THAT(add_to_summary(gate, step), is_ok());
  EXPECT_THAT(read_file(step.summary).value(), StartsWith("before\n## crossbind gate: undecided"));
  EXPECT_THAT(add_to_summary(gate, {scratch("no/folder.md")}), fails_with(HasSubstr("folder.md")));
}

}  // namespace
}  // namespace crossbind::app
