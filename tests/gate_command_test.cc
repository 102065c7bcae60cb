// The program as users run it: gate.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::Not;
using ::testing::StartsWith;

class GateCommandTest : public testing::ScratchTest {
 protected:
  // Trainings of seeds 1 to `count`; each takes `seconds`, a hundredth more from seed to seed.
  void make_store(const std::string& name,
                  double seconds,
                  int count = 5,
                  const std::string& binding = "pytorch/rust",
                  const std::string& verdict = "within rounding") {
    const auto store = store::open(scratch(name)).value();
    const auto study = store->add_study({"quick", "epochs = 1"}).value();
    for (int seed = 1; seed <= count; ++seed) {
      store::TrialRecord trial;
      trial.identity = fmt::format("{:064x}", ++count_);
      trial.axes = {.binding = binding,
                    .model = "lenet5",
                    .dataset = "mnist",
                    .device = "cpu",
                    .task = "train",
                    .loader = "resident",
                    .variant = "step",
                    .measure = "total",
                    .seed = static_cast<uint32_t>(seed)};
      trial.series = {{"train.epoch", 1, {seconds * (1 + 0.01 * seed)}}};
      ASSERT_THAT(store->add_trial(study, trial), is_ok());
      trial.identity = fmt::format("{:064x}", ++count_);
      trial.axes.task = "judge";
      trial.series.clear();
      trial.facts["verdict"] = verdict;
      ASSERT_THAT(store->add_trial(study, trial), is_ok());
    }
  }

  process::Outcome gate(std::vector<std::string> arguments,
                        std::vector<std::string> environment = {"GITHUB_ACTIONS=false"}) {
    arguments.insert(arguments.begin(), {testing::build_path("crossbind"), "gate"});
    return process::run({.arguments = std::move(arguments),
                         .directory = scratch(""),
                         .environment = std::move(environment)})
        .value();
  }

 private:
  int count_ = 0;  // of trials
};

TEST_F(GateCommandTest, ItsExitCodeIsTheVerdict) {
  make_store("main.db", 1);
  make_store("same.db", 1);
  make_store("slow.db", 3);
  make_store("wrong.db", 1, 5, "pytorch/rust", "diverges");
  make_store("other.db", 1, 5, "pytorch/cpp");
  make_store("short.db", 3, 1);
  const auto against = [&](const std::string& candidate, const std::string& limit = "5%") {
    return gate({"--baseline", "main.db", "--candidate", candidate, "--max-slowdown", limit});
  };
  const auto passed = against("same.db");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
  EXPECT_THAT(passed.out, HasSubstr("gate: passed\n"));
  const auto itself = against("main.db");
  EXPECT_EQ(itself.exit_code, 4);
  EXPECT_THAT(itself.out, HasSubstr("one and the same measurement"));
  EXPECT_EQ(
      gate({"--baseline", "main.db", "--candidate", "main.db", "--allow-unchanged"}).exit_code, 0);
  const auto slow = against("slow.db");
  EXPECT_EQ(slow.exit_code, 3);
  EXPECT_THAT(slow.out,
              AllOf(HasSubstr("ERROR"), HasSubstr("ratio 3.000"), HasSubstr("gate: failed")));
  EXPECT_EQ(against("slow.db", "4x").exit_code, 0);
  EXPECT_EQ(against("slow.db", "none").exit_code, 0);
  const auto wrong = against("wrong.db");
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.out, HasSubstr("seed 1, repeat 0: was within rounding, diverges"));
  const auto other = against("other.db");
  EXPECT_EQ(other.exit_code, 4);
  EXPECT_THAT(other.out,
              AllOf(HasSubstr("nothing was compared"),
                    HasSubstr("pytorch/rust lenet5 on mnist: train (cpu, resident, step, total): 5 "
                              "trials of the baseline, none here")));
  const auto few = against("short.db");
  EXPECT_EQ(few.exit_code, 4);
  EXPECT_THAT(few.out, HasSubstr("4 trials fewer"));
  const auto missing = against("missing.db");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.error, HasSubstr("`crossbind run STUDY --store missing.db` makes it"));
}

TEST_F(GateCommandTest, RefusesWrongUsage) {
  make_store("main.db", 1);
  EXPECT_EQ(gate({"--baseline", "main.db"}).exit_code, 2);
  EXPECT_EQ(gate({"--baseline", "main.db", "--candidate", "main.db", "--self-test"}).exit_code, 2);
  EXPECT_EQ(gate({"--candidate", "main.db"}).exit_code, 2);
  const auto bare =
      gate({"--baseline", "main.db", "--candidate", "main.db", "--max-slowdown", "1.05"});
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_THAT(bare.error + bare.out, HasSubstr("5%"));
  EXPECT_EQ(gate({"--baseline", "main.db", "--candidate", "main.db", "--alpha", "0.9"}).exit_code,
            2);
}

TEST_F(GateCommandTest, WritesAnnotationsAndASummaryInGitHubActions) {
  constexpr const char* kName = "py|torch/<b>\n::error::x";
  make_store("main.db", 1, 5, kName);
  make_store("slow.db", 3, 5, kName);
  ASSERT_THAT(write_file(scratch("summary.md"), "before\n"), is_ok());
  const std::vector<std::string> arguments = {
      "--baseline", "main.db", "--candidate", "slow.db", "--markdown", "gate.md"};
  const auto outcome = gate(
      arguments, {"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + scratch("summary.md").string()});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(
      outcome.out,
      HasSubstr("\n::error title=crossbind gate%3A slower::py|torch/<b>%0A::error::x lenet5"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\n::error::")));
  const auto summary = read_file(scratch("summary.md")).value();
  EXPECT_THAT(summary, StartsWith("before\n## crossbind gate: failed\n"));
  EXPECT_THAT(summary, HasSubstr("| py\\|torch/&lt;b&gt; "));
  EXPECT_EQ(summary, "before\n" + read_file(scratch("gate.md")).value());
  EXPECT_THAT(gate(arguments).out, Not(HasSubstr("::error title")));
}

TEST_F(GateCommandTest, PrintsJsonWithNothingBesideIt) {
  make_store("main.db", 1);
  make_store("slow.db", 3);
  const auto outcome =
      gate({"--baseline", "main.db", "--candidate", "slow.db", "--json", "--github"});
  const auto parsed = json::parse(outcome.out);
  EXPECT_EQ(parsed["verdict"], "failed");
  EXPECT_NEAR(parsed["times"][0]["ratio"].get<double>(), 3, 1e-12);
  EXPECT_THAT(outcome.error, HasSubstr("::error title=crossbind gate%3A slower::"));
  EXPECT_EQ(gate({"--baseline", "main.db", "--candidate", "slow.db", "--json"}).out, outcome.out);
}

TEST_F(GateCommandTest, TestsItself) {
  make_store("main.db", 1, 20);
  make_store("short.db", 1, 3);
  const auto outcome = gate({"--baseline", "main.db", "--self-test"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, StartsWith("false alarms: "));
  const auto parsed = json::parse(gate({"--baseline", "main.db", "--self-test", "--json"}).out);
  EXPECT_EQ(parsed["resamplings"], 200);
  EXPECT_LE(parsed["rate"].get<double>(), 0.05);
  EXPECT_EQ(gate({"--baseline", "short.db", "--self-test"}).exit_code, 4);
}

TEST_F(GateCommandTest, ExplainsItselfWithExamples) {
  const auto help = gate({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out,
              AllOf(HasSubstr("Examples: crossbind gate"), HasSubstr("3 failed, 4 undecided")));
}

}  // namespace
}  // namespace crossbind
