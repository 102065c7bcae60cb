#include "cli/results_table.h"

#include "cli/study_fixture.h"

namespace crossbind::cli {
namespace {

class ResultsTableTest : public StudyTest {
 protected:
  static store::TrialRecord trained(const std::string& identity, double accuracy, double seconds) {
    auto made = trial(identity, "train");
    made.curve = {{1, 2.0, 0.1, 0.2}, {2, 1.0, 0.5, accuracy}};
    made.series = {{"train.epoch", 1, {seconds / 2}}, {"train.epoch", 2, {seconds / 2}}};
    made.peak_memory = uint64_t{3} << 20;
    return made;
  }

  [[nodiscard]] std::string table() const {
    return results_table(store_, study_, identities_).value();
  }
};

TEST_F(ResultsTableTest, ShowsMediansOfACondition) {
  add(trained("a1", 0.5, 1));
  add(trained("a2", 0.75, 8));
  add(trained("a3", 0.25, 2));
  auto failed = trained("a4", 0, 0);
  failed.outcome = store::Outcome::kFailed;
  failed.reason = "no luck";
  add(failed);
  EXPECT_EQ(
      table(),
      "MODEL   DATA SET  TASK   HOW              BINDING       TRIALS  TEST ACCURACY  SECONDS "
      " PEAK MEMORY\n"
      "lenet1  glyphs    train  resident, total  toy/cpp  3, 1 failed        50.00 %    2.000 "
      "     3.0 MiB\n");
}

TEST_F(ResultsTableTest, InferencesHaveALineOfTheirOwn) {
  add(trained("a1", 0.5, 1));
  auto inferred = trained("b1", 0, 0);
  inferred.axes.task = "infer-parameters";
  inferred.axes.device = "cuda";
  inferred.curve.clear();
  inferred.series = {{"infer.total", 0, {0.125}}, {"infer.accuracy", 0, {0.875}}};
  inferred.peak_memory.reset();
  add(inferred);
  EXPECT_EQ(table(),
            "MODEL   DATA SET  TASK              HOW                    BINDING  TRIALS  TEST "
            "ACCURACY  SECONDS  PEAK MEMORY\n"
            "lenet1  glyphs    infer-parameters  resident, total, cuda  toy/cpp       1        "
            "87.50 %    0.125            -\n"
            "lenet1  glyphs    train             resident, total        toy/cpp       1        "
            "50.00 %    1.000      3.0 MiB\n");
}

TEST_F(ResultsTableTest, WhatIsNotTimedHasNoLine) {
  add(trained("a1", 0.5, 1));
  const std::string before = table();
  auto judged = trial("b1", "judge");
  judged.peak_memory = uint64_t{3} << 20;
  add(judged);
  EXPECT_EQ(table(), before);
}

TEST_F(ResultsTableTest, WhatIsNotScoredHasNoAccuracy) {
  auto inferred = trained("b1", 0, 0);
  inferred.axes.task = "infer-parameters";
  inferred.curve.clear();
  inferred.series = {{"infer.total", 0, {0.125}}};
  add(inferred);
  EXPECT_THAT(table(), ::testing::HasSubstr("toy/cpp       1              -    0.125"));
}

TEST_F(ResultsTableTest, LeavesOutTrialsThatAreNoLongerOfThePlan) {
  add(trained("a1", 0.5, 1));
  const std::string before = table();
  add(trained("a2", 0.75, 3));  // by an earlier build of the worker, say
  identities_.erase("a2");
  EXPECT_EQ(table(), before);
}

}  // namespace
}  // namespace crossbind::cli
