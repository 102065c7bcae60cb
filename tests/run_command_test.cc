// The program as users run it: plan and run, with the reference worker and with ones that fail.
#include <nlohmann/json.hpp>

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <thread>

#include "run_fixture.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kReference = "\"reference/cpp\"";

using RunCommandTest = RunTest;

TEST_F(RunCommandTest, RunsAStudyAndShowsWhatCameOfIt) {
  write_study(kReference, 2);
  const auto outcome = run();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(
      outcome.out,
      AllOf(StartsWith("\nTraining: loss and test accuracy after each epoch\nMODEL   DATA SET "),
            HasSubstr("  not judged  "),
            HasSubstr("\nlenet1  glyphs-200-50  infer-parameters  resident, total  "
                      "reference/cpp       2 "),
            HasSubstr("\nlenet1  glyphs-200-50  train             resident, total  "
                      "reference/cpp       2 "),
            EndsWith("\n4 done, 0 failed, 0 unsupported now; 0 were done before. Kept in "
                     "crossbind.db\n")));
  EXPECT_THAT(
      outcome.error,
      AllOf(HasSubstr("[1/4] reference/cpp lenet1 train seed 1: done ("),
            HasSubstr(
                "[4/4] reference/cpp lenet1 infer-parameters seed 2 from reference/cpp: done ("),
            Not(HasSubstr("\x1b"))));
  EXPECT_THAT(outcomes(),
              ElementsAre("reference/cpp infer-parameters 1: done",
                          "reference/cpp infer-parameters 2: done",
                          "reference/cpp train 1: done",
                          "reference/cpp train 2: done"));
  expect_sound_store();
  expect_no_process_is_left();
  EXPECT_TRUE(std::filesystem::is_empty(scratch("cache/run")));
}

TEST_F(RunCommandTest, ATrialIsStoredWithEverythingThatIsKnownOfIt) {
  write_study(kReference, 1);
  ASSERT_EQ(run().exit_code, 0);
  const auto trials = stored();
  ASSERT_THAT(trials, SizeIs(2));
  const auto& training = trials[0];
  EXPECT_EQ(training.axes.task, "train");
  ASSERT_THAT(training.curve, SizeIs(1));
  EXPECT_GT(training.curve[0].test_accuracy.value(), 0.0);
  EXPECT_THAT(training.facts.at("parameters_sha256"), SizeIs(64));
  EXPECT_THAT(training.settings, ::testing::Contains(store::Setting{"batch_size", "32", "32"}));
  EXPECT_GT(training.wall->count(), 0);
  EXPECT_GT(training.peak_memory.value(), 1U << 20);
  EXPECT_TRUE(training.worker.contains("compiler"));
  EXPECT_TRUE(training.host.contains("crossbind_revision"));
  EXPECT_THAT(trials[1].facts.at("outputs_sha256"), SizeIs(64));
  // What inference says about trained parameters is what training said about them.
  EXPECT_THAT(trials[1].series,
              ::testing::Contains(
                  store::Series{"infer.accuracy", 0, {training.curve[0].test_accuracy.value()}}));
}

TEST_F(RunCommandTest, ASecondRunDoesNothing) {
  write_study(kReference, 2);
  ASSERT_EQ(run().exit_code, 0);
  const auto before = stored();
  const auto again = run();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out,
              AllOf(HasSubstr("reference/cpp       2 "),
                    EndsWith("\n0 done, 0 failed, 0 unsupported now; 4 were done before. Kept in "
                             "crossbind.db\n")));
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(stored(), before);
}

TEST_F(RunCommandTest, OnlyRunsWhatItIsAskedForAndWhatThatNeeds) {
  write_study(kReference, 3);
  const auto one = run({"--only", "seed=2", "--only", "task=infer-*"});
  EXPECT_EQ(one.exit_code, 0) << one.error;
  EXPECT_THAT(outcomes(),
              ElementsAre("reference/cpp infer-parameters 2: done", "reference/cpp train 2: done"));
  const auto rest = run();
  EXPECT_EQ(rest.exit_code, 0) << rest.error;
  EXPECT_THAT(rest.out, HasSubstr("\n4 done, 0 failed, 0 unsupported now; 2 were done before."));
  EXPECT_THAT(outcomes(), SizeIs(6));
}

TEST_F(RunCommandTest, PlanSaysWhatRunWouldDo) {
  write_study(kReference, 2);
  const auto decisions = [&](const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"plan", "tiny.toml", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto planned = crossbind(arguments);
    EXPECT_EQ(planned.exit_code, 0) << planned.error;
    std::vector<std::string> words;
    const json plan = json::parse(planned.out);
    for (const auto& trial : plan["trials"]) {
      words.push_back(trial["decision"]);
    }
    return words;
  };
  EXPECT_THAT(decisions(), AllOf(SizeIs(4), Each("run")));  // though the data is not there yet
  EXPECT_THAT(crossbind({"plan", "tiny.toml"}).out,
              HasSubstr("  4  first time: data set glyphs-200-50 is not there: crossbind run "
                        "makes it\n"));
  ASSERT_EQ(run({"--only", "seed=1"}).exit_code, 0);
  EXPECT_THAT(decisions(), ElementsAre("done", "done", "run", "run"));
  EXPECT_THAT(decisions({"--only", "seed=2"}), ElementsAre("excluded", "excluded", "run", "run"));
  ASSERT_EQ(run().exit_code, 0);
  EXPECT_THAT(decisions(), AllOf(SizeIs(4), Each("done")));
}

TEST_F(RunCommandTest, AChangedStudyRunsOnlyWhatHasChanged) {
  write_study(kReference, 2);
  ASSERT_EQ(run().exit_code, 0);
  write_study(kReference, 3, "time_limit_s = 77");
  const auto more = run();
  EXPECT_EQ(more.exit_code, 0);
  EXPECT_THAT(more.out,
              AllOf(HasSubstr("reference/cpp       3 "),
                    HasSubstr("\n2 done, 0 failed, 0 unsupported now; 4 were done before.")));
  write_study(kReference, 2, "warmup_steps = 1");
  const auto all = run();
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.out,
              AllOf(HasSubstr("reference/cpp       2 "),
                    HasSubstr("\n4 done, 0 failed, 0 unsupported now; 0 were done before.")));
  EXPECT_THAT(outcomes(), SizeIs(10));
  EXPECT_EQ(json::parse(crossbind({"store", "list", "--json"}).out).size(), 3U);
}

TEST_F(RunCommandTest, AnotherBuildOfTheWorkerRunsAgainAndOnlyItIsShown) {
  write_study(kReference, 1);
  ASSERT_EQ(run().exit_code, 0);
  write("home/workers/reference-cpp/notes", "changes the digest of the worker\n");
  const auto again = run();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out,
              AllOf(HasSubstr("reference/cpp       1 "),
                    HasSubstr("\n2 done, 0 failed, 0 unsupported now; 0 were done before.")));
  EXPECT_THAT(outcomes(), SizeIs(4));
}

TEST_F(RunCommandTest, TrainedParametersThatAreGoneAreTrainedAgain) {
  write_study(kReference, 1);
  ASSERT_EQ(run({"--only", "task=train"}).exit_code, 0);
  const auto before = stored();
  std::filesystem::remove_all(scratch("cache/trained"));
  const auto again = run();
  EXPECT_EQ(again.exit_code, 0) << again.error;
  const auto trials = stored();
  ASSERT_THAT(trials, SizeIs(2));
  EXPECT_EQ(trials[0], before[0]);
}

TEST_F(RunCommandTest, TwoAtATimeHaveTheSameResults) {
  if (std::thread::hardware_concurrency() < 2) {
    CROSSBIND_SKIP("two jobs", "there is one processor");
  }
  write_study(kReference, 4);
  ASSERT_EQ(run({"--store", "one.db"}).exit_code, 0);
  const auto two = run({"--store", "two.db", "--jobs", "2"});
  EXPECT_EQ(two.exit_code, 0) << two.error;
  const auto facts = [&](const std::string& store) {
    std::map<std::string, store::NamedTexts> found;
    for (const auto& trial : stored(store)) {
      found.emplace(trial.identity, trial.facts);
    }
    return found;
  };
  EXPECT_THAT(facts("one.db"), SizeIs(8));
  EXPECT_EQ(facts("two.db"), facts("one.db"));
}

TEST_F(RunCommandTest, SpeaksOverTcpAsWell) {
  write_study(kReference, 1);
  const auto outcome = run({"--tcp"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(outcomes(), SizeIs(2));
}

TEST_F(RunCommandTest, WhatIsWrongWithTheStudyIsSaid) {
  write_study(kReference, 1);
  const auto unknown = crossbind({"run", "quik"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.error, HasSubstr("quik"));
  EXPECT_EQ(crossbind({"run", "missing.toml"}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(scratch("crossbind.db")));
  write_study("\"reference/cpp\", \"toy/nobody\"", 1);
  const auto nobody = run();
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.error, HasSubstr("toy/nobody"));
  EXPECT_FALSE(std::filesystem::exists(scratch("crossbind.db")));
}

TEST_F(RunCommandTest, RefusesMoreJobsThanThereAreProcessors) {
  write_study(kReference, 1);
  const auto outcome = run({"--jobs", "1024"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.error, HasSubstr("need 1024 processors"));
  EXPECT_EQ(run({"--jobs", "0"}).exit_code, 2);
}

TEST_F(RunCommandTest, RefusesAStoreOfANewerCrossbind) {
  write_study(kReference, 1);
  ASSERT_EQ(run({"--only", "task=train"}).exit_code, 0);
  SQLite::Database(scratch("crossbind.db").string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = 99");
  const auto refused = run();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error,
              AllOf(HasSubstr("crossbind.db"), HasSubstr("Use the newer crossbind")));
}

TEST_F(RunCommandTest, GoesOnAfterWorkersThatFail) {
  add_misbehaving_worker("crash");
  add_misbehaving_worker("exit");
  add_misbehaving_worker("fork");
  write_study("\"reference/cpp\", \"toy/*\"", 1);
  const auto outcome = run();
  EXPECT_EQ(outcome.exit_code, 3) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("\n2 done, 6 failed, 0 unsupported now; 0 were done before."));
  EXPECT_THAT(outcome.error,
              HasSubstr(" toy/crash lenet1 train seed 1: failed: was killed by SIGSEGV ("));
  EXPECT_THAT(
      outcomes(),
      ElementsAre("reference/cpp infer-parameters 1: done",
                  "reference/cpp train 1: done",
                  "toy/crash infer-parameters 1: failed: was killed by SIGSEGV",
                  "toy/crash train 1: failed: was killed by SIGSEGV",
                  "toy/exit infer-parameters 1: failed: exited with code 3 before it had answered",
                  "toy/exit train 1: failed: exited with code 3 before it had answered",
                  "toy/fork infer-parameters 1: failed: exited with code 6 before it had answered",
                  "toy/fork train 1: failed: exited with code 6 before it had answered"));
  expect_sound_store();
  expect_no_process_is_left();
}

TEST_F(RunCommandTest, WhatFailedRunsAgainOnlyWhenThatIsWanted) {
  add_misbehaving_worker("exit");
  write_study("\"reference/cpp\", \"toy/exit\"", 1);
  EXPECT_EQ(run().exit_code, 3);
  EXPECT_THAT(misbehaving(), SizeIs(2));
  const auto left_alone = run();
  EXPECT_EQ(left_alone.exit_code, 3);
  EXPECT_THAT(left_alone.out, EndsWith("2 failed before: --retry-failed runs them again.\n"));
  EXPECT_THAT(misbehaving(), SizeIs(2));
  EXPECT_EQ(run({"--retry-failed"}).exit_code, 3);
  EXPECT_THAT(misbehaving(), SizeIs(4));
}

TEST_F(RunCommandTest, WithoutItsTrainingAnInferenceCannotRun) {
  add_misbehaving_worker("exit");
  write_study("\"reference/cpp\", \"toy/exit\"", 1);
  std::string study = read_file(scratch("tiny.toml")).value();
  study.replace(study.find("weights = \"reference/cpp\""), 25, "weights = \"toy/exit\"");
  write("tiny.toml", study);
  const auto outcome = run();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("2 could not run: crossbind plan tiny.toml --store "));
  EXPECT_THAT(crossbind({"plan", "tiny.toml", "--explain"}).out,
              HasSubstr("needs the parameters that toy/exit trains"));
  EXPECT_THAT(outcomes(), SizeIs(2));
}

TEST_F(RunCommandTest, AWorkerThatHangsIsStoppedAtItsTimeLimit) {
  add_misbehaving_worker("ignore-term");
  write_study("\"toy/ignore-term\"", 1, "time_limit_s = 2");
  std::string study = read_file(scratch("tiny.toml")).value();
  study.replace(study.find("weights = \"reference/cpp\""), 25, "weights = \"initial\"");
  write("tiny.toml", study);
  const auto outcome = run({"--only", "task=train"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.error;
  EXPECT_THAT(outcomes(), ElementsAre("toy/ignore-term train 1: failed: ran longer than 2.0 s"));
  expect_no_process_is_left();
}

}  // namespace
}  // namespace crossbind
