#include "analysis/analysis.h"

#include "analysis/names.h"
#include "analysis/tables.h"
#include "stats/dtw.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Numbers = std::vector<double>;

class AnalysisTest : public ::testing::Test {
 protected:
  AnalysisTest() : study_(store_.add_study({"s", "t"}).value()) {}

  static store::TrialRecord training(const std::string& binding, uint32_t seed, double level) {
    store::TrialRecord trial;
    trial.axes = {.binding = "pytorch/" + binding,
                  .model = "lenet1",
                  .dataset = "mnist",
                  .device = "cpu",
                  .task = "train",
                  .loader = "resident",
                  .variant = "step",
                  .measure = "total",
                  .seed = seed};
    trial.curve = {{1, 0.5, level / 2, level / 2}, {2, 0.25, level, level}};
    trial.series = {{"train.epoch", 1, {10 * level + seed}}, {"train.epoch", 2, {1}}};
    return trial;
  }

  static store::TrialRecord inference(const std::string& binding, uint32_t seed, double accuracy) {
    auto trial = training(binding, seed, accuracy);
    trial.axes.task = "infer-parameters";
    trial.axes.weights = "pytorch/python";
    trial.curve.clear();
    trial.series = {{"infer.accuracy", 0, {accuracy}}, {"infer.total", 0, {1.0 + seed}}};
    return trial;
  }

  void add(store::TrialRecord trial) {
    trial.identity = fmt::format("{:064x}", ++count_);
    ASSERT_THAT(store_.add_trial(study_, trial), is_ok());
  }

  [[nodiscard]] Analysis analysis() const { return analyze(store_).value(); }

  store::MemoryStore store_;
  store::StudyId study_;
  int count_ = 0;
};

TEST_F(AnalysisTest, OfAnEmptyStoreIsEmpty) {
  const auto found = analysis();
  EXPECT_THAT(found.dtw, IsEmpty());
  EXPECT_THAT(found.cross_binding, IsEmpty());
  for (const auto& table : paper_tables(found)) {
    EXPECT_THAT(to_latex(table), HasSubstr("not measured")) << table.name;
  }
}

TEST_F(AnalysisTest, PairsCurvesBySeedAndDividesByTheirLength) {
  add(training("rust", 1, 0.5));
  add(training("rust", 2, 0.75));
  add(training("python", 2, 0.75));
  add(training("python", 1, 0.75));
  const auto found = analysis();
  ASSERT_THAT(found.dtw, SizeIs(2));
  EXPECT_EQ(found.dtw[0].a, "python");
  EXPECT_EQ(found.dtw[0].b, "rust");
  EXPECT_EQ(found.dtw[0].method, DtwMethod::kFastDtw);
  EXPECT_EQ(found.dtw[0].n, 2U);
  // 0.375 waits for 0.25, 0.75 for 0.5: the distances are 0.125 and 0.25.
  EXPECT_DOUBLE_EQ(found.dtw[1].max, 0.375 / 2);
  EXPECT_DOUBLE_EQ(found.dtw[1].mean, 0.375 / 4);
  EXPECT_THAT(found.mean_curves[1].train_accuracy, ElementsAre(0.3125, 0.625));
}

TEST_F(AnalysisTest, HoldsTimesAgainstPythonAndCorrectsWithinTheModel) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    add(training("python", seed, 0.5));
    add(training("rust", seed, 0.0));
    add(training("csharp", seed, 1.0));
  }
  const auto found = analysis();
  ASSERT_THAT(found.training_time_tests, SizeIs(2));
  const auto& rust = found.training_time_tests[0];
  EXPECT_EQ(rust.binding, "rust");
  EXPECT_EQ(rust.median_baseline, 9);
  EXPECT_EQ(rust.median, 4);
  EXPECT_EQ(rust.test.u, 24.5 + 0.5);
  EXPECT_NEAR(rust.test.p, 0.00794, 5e-6);
  EXPECT_DOUBLE_EQ(rust.test.p_adjusted, 2 * rust.test.p);
  EXPECT_EQ(rust.test.cliffs_delta, 1);
  EXPECT_EQ(found.training_time_tests[1].test.cliffs_delta, -1);
  EXPECT_THAT(found.training_times, SizeIs(3));
}

TEST_F(AnalysisTest, HoldsEveryDifferenceAgainstTheNoiseOfItsBindings) {
  for (const uint32_t seed : {1U, 2U, 3U}) {
    add(training("python", seed, 0.5));
    add(training("rust", seed, seed == 1 ? 0.5 : 0.75));
  }
  const auto found = analysis();
  const Numbers low = {0.25, 0.5};
  const Numbers high = {0.375, 0.75};
  const double apart = stats::dtw(low, high).value().normalised;
  EXPECT_EQ(found.dtw.at(1).method, DtwMethod::kExact);
  EXPECT_NEAR(found.dtw[1].noise.value(), apart * 2 / 3, 1e-12);  // of three pairs, two
  const auto& score = found.score_tests.at(0);
  EXPECT_EQ(score.noise, stats::noise_of_difference(Numbers{0.5, 0.75, 0.75}, 3, 3).value());
  EXPECT_FALSE(score.is_above_noise());
  const auto& time = found.training_time_tests.at(0);
  EXPECT_EQ(time.noise,
            stats::noise_of_ratio(found.training_times[0].seconds, found.training_times[1].seconds)
                .value());
  EXPECT_FALSE(time.is_above_noise());
}

TEST_F(AnalysisTest, TestsEveryPairOfScores) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    add(training("python", seed, 0.5 + 0.001 * seed));
    add(training("rust", seed, 0.6 + 0.001 * seed));
    add(training("csharp", seed, 0.7 + 0.001 * seed));
  }
  const auto found = analysis();
  EXPECT_THAT(found.scores, SizeIs(3));
  ASSERT_THAT(found.score_tests, SizeIs(3));
  EXPECT_NEAR(found.score_tests[0].largest_difference, 0.2, 1e-12);
  EXPECT_EQ(found.score_tests[1].b, "csharp");
  EXPECT_NEAR(found.score_tests[1].test.p_adjusted, 3 * 0.0079365, 1e-6);
}

TEST_F(AnalysisTest, ATrialThatWasMeasuredAgainCountsOnce) {
  auto old = training("python", 1, 0.5);
  auto now = training("python", 1, 0.75);
  now.started += std::chrono::hours(1);
  add(now);
  add(old);
  ASSERT_THAT(analysis().scores, SizeIs(1));
  EXPECT_THAT(analysis().scores[0].values, ElementsAre(0.75));
}

TEST_F(AnalysisTest, NeverMixesLoadersOrVariants) {
  add(training("python", 1, 0.5));
  auto other = training("rust", 1, 0.5);
  other.axes.loader = "idiomatic";
  add(other);
  const auto found = analysis();
  EXPECT_THAT(found.dtw, IsEmpty());
  EXPECT_THAT(found.training_time_tests, IsEmpty());
  EXPECT_THAT(found.varied, ElementsAre("loader"));
  EXPECT_THAT(finding_tables(found)[1].columns,
              ElementsAre("framework", "model", "loader", "binding", "n", "mean"));
}

TEST_F(AnalysisTest, KeepsInnerTimersApartFromTotals) {
  add(training("python", 1, 0.5));
  auto timed = training("python", 1, 0.5);
  timed.axes.measure = "parts";
  timed.series = {{"train.backward", 1, {3, 4}},
                  {"train.epoch", 1, {20}},
                  {"train.forward", 1, {2, 3}},
                  {"train.load", 1, {1, 2}}};
  add(timed);
  const auto found = analysis();
  EXPECT_THAT(found.training_times.at(0).seconds, ElementsAre(7));
  ASSERT_THAT(found.training_parts, SizeIs(1));
  EXPECT_EQ(found.training_parts[0].load, 3);
  EXPECT_EQ(found.training_parts[0].forward, 5);
  EXPECT_EQ(found.training_parts[0].backward, 7);
  EXPECT_EQ(found.training_parts[0].total, 20);
  EXPECT_THAT(found.scores.at(0).values, SizeIs(1));
}

TEST_F(AnalysisTest, AModelIsReproducedWhereItKeepsTheAccuracyItWasTrainedTo) {
  add(training("python", 1, 0.5));
  add(training("python", 2, 0.75));
  add(inference("rust", 1, 0.5));
  add(inference("rust", 2, 0.75));
  add(inference("csharp", 1, 0.5));
  add(inference("csharp", 2, 0.5));
  auto unsupported = inference("javascript", 1, 0);
  unsupported.outcome = store::Outcome::kUnsupported;
  unsupported.reason = "takes no parameters";
  unsupported.series.clear();
  add(unsupported);
  const auto found = analysis();
  ASSERT_THAT(found.cross_binding, SizeIs(3));
  EXPECT_EQ(found.cross_binding[0].binding, "javascript");
  EXPECT_EQ(found.cross_binding[0].outcome, Reproduction::kUnsupported);
  EXPECT_EQ(found.cross_binding[1].outcome, Reproduction::kReproduced);
  EXPECT_EQ(found.cross_binding[2].outcome, Reproduction::kFailed);
  EXPECT_EQ(found.cross_binding[2].largest_difference, 0.25);
}

TEST_F(AnalysisTest, AModelOfTheUsersIsReproducedWhereItHasPythonsAccuracy) {
  for (const auto& [binding, accuracy] :
       {std::pair{"python", 0.5}, std::pair{"rust", 0.5}, std::pair{"java", 0.25}}) {
    auto trial = inference(binding, 1, accuracy);
    trial.axes.weights = "supplied";
    add(trial);
  }
  const auto found = analysis();
  ASSERT_THAT(found.cross_binding, SizeIs(3));
  EXPECT_EQ(found.cross_binding[1].binding, "rust");
  EXPECT_EQ(found.cross_binding[1].outcome, Reproduction::kReproduced);
  EXPECT_EQ(found.cross_binding[2].outcome, Reproduction::kFailed);
}

TEST_F(AnalysisTest, WhatWasOnlyTimedHasTimesAndNoAccuracy) {
  for (const auto* binding : {"python", "rust"}) {
    auto trial = training(binding, 1, 0.5);
    trial.settings = {{"scores", "false", "false"}};
    trial.curve = {{1, 0.5, std::nullopt, std::nullopt}};
    add(trial);
  }
  const auto found = analysis();
  EXPECT_THAT(found.scores, IsEmpty());
  EXPECT_THAT(found.dtw, IsEmpty());
  EXPECT_THAT(found.training_times, SizeIs(2));
}

TEST_F(AnalysisTest, NeverMixesTrainingsThatAreShuffledWithThoseThatAreNot) {
  add(training("python", 1, 0.5));
  auto plain = training("python", 2, 0.5);
  plain.settings = {{"shuffle", "false", "false"}};
  add(plain);
  const auto found = analysis();
  EXPECT_THAT(found.training_times, SizeIs(2));
  EXPECT_THAT(found.varied, ElementsAre("shuffle"));
}

TEST_F(AnalysisTest, AModelIsNotReproducedWhereAPredictionDiffersThatAccuracyHides) {
  add(training("python", 1, 0.5));
  const auto compared = [](const std::string& binding, double differing) {
    auto trial = inference(binding, 1, 0.5);
    trial.series.push_back({"infer.differing", 0, {differing}});
    trial.series.push_back({"infer.expected", 0, {0.5}});
    trial.series.push_back({"infer.output_difference", 0, {0.25}});
    if (differing > 0) {
      trial.series.push_back({"infer.margin", 0, {0.125, 0.5}});
    }
    return trial;
  };
  add(compared("rust", 0));
  add(compared("java", 2));
  const auto found = analysis();
  ASSERT_THAT(found.cross_binding, SizeIs(2));
  const auto& rust = found.cross_binding[0];
  EXPECT_EQ(rust.outcome, Reproduction::kReproduced);
  EXPECT_EQ(rust.differing, 0);
  EXPECT_EQ(rust.smallest_margin, std::nullopt);
  EXPECT_EQ(rust.largest_output_difference, 0.25);
  const auto& java = found.cross_binding[1];
  EXPECT_EQ(java.outcome, Reproduction::kFailed);
  EXPECT_EQ(java.largest_difference, 0);
  EXPECT_EQ(java.differing, 2);
  EXPECT_EQ(java.smallest_margin, 0.125);
  EXPECT_EQ(java.largest_margin, 0.5);
  EXPECT_THAT(found.contradictions, IsEmpty());
}

TEST_F(AnalysisTest, AFlagDecidesTheOutcomeAndTheAccuracyBesideItContradicts) {
  add(training("python", 1, 0.5));
  add(training("python", 2, 0.75));
  auto flagged = inference("rust", 0, 0.5);
  flagged.series = {{"infer.accuracy", 0, {0.5, 0.5}}, {"infer.same", 0, {1, 1}}};
  flagged.facts["seeds"] = "1 2";
  add(flagged);
  const auto found = analysis();
  ASSERT_THAT(found.cross_binding, SizeIs(1));
  EXPECT_EQ(found.cross_binding[0].outcome, Reproduction::kReproduced);
  ASSERT_THAT(found.contradictions, SizeIs(1));
  EXPECT_EQ(found.contradictions[0].kind, "flag");
  EXPECT_EQ(found.contradictions[0].seed, 2U);
  EXPECT_EQ(found.contradictions[0].value, 0.5);
  EXPECT_EQ(found.contradictions[0].expected, 0.75);
}

TEST_F(AnalysisTest, ListsWhatTheImportNotedAndWhatAFileExpectsWrongly) {
  auto trained = training("python", 1, 0.5);
  trained.facts["contradiction.macro_auc"] = "0.9 0.9 0.8";
  add(trained);
  auto flagged = inference("python", 0, 0.5);
  flagged.series = {
      {"infer.accuracy", 0, {0.25}}, {"infer.expected", 0, {0.25}}, {"infer.same", 0, {1}}};
  flagged.facts["seeds"] = "1";
  add(flagged);
  const auto found = analysis().contradictions;
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].kind, "macro_auc");
  EXPECT_EQ(found[0].expected, 0.8);
  EXPECT_EQ(found[0].task, trial::Task::kTrain);
  EXPECT_EQ(found[1].kind, "expected");
  EXPECT_EQ(found[1].task, trial::Task::kInferParameters);
}

TEST_F(AnalysisTest, DoesNotDependOnTheOrderOfTrials) {
  std::vector<store::TrialRecord> trials;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    for (const auto* binding : {"python", "rust", "csharp"}) {
      trials.push_back(training(binding, seed, 0.1 * seed));
      trials.push_back(inference(binding, seed, 0.1 * seed));
    }
  }
  const auto text_of = [](const std::vector<store::TrialRecord>& some) {
    store::MemoryStore store;
    const auto study = store.add_study({"s", "t"}).value();
    int count = 0;
    for (auto trial : some) {
      trial.identity = fmt::format("{:064x}", ++count);
      EXPECT_THAT(store.add_trial(study, trial), is_ok());
    }
    const auto found = analyze(store).value();
    std::string text = to_json(finding_tables(found));
    for (const auto& table : paper_tables(found)) {
      text += to_csv(table);
    }
    return text;
  };
  const auto forwards = text_of(trials);
  std::ranges::reverse(trials);
  EXPECT_EQ(text_of(trials), forwards);
  // Nothing is missing but what takes outputs that were compared.
  for (const auto* known : {"mean", "p", "median", "largest_difference"}) {
    EXPECT_THAT(forwards, Not(HasSubstr(fmt::format("\"{}\": null", known))));
  }
}

TEST_F(AnalysisTest, TakesNoJudgedStepForAnInference) {
  add(training("python", 1, 0.75));
  add(inference("python", 1, 0.75));
  auto judged = inference("rust", 1, 0.5);
  judged.axes.task = "judge";
  judged.axes.weights.clear();
  judged.outcome = store::Outcome::kUnsupported;
  judged.reason = "no layer";
  judged.series.clear();
  add(judged);
  const auto found = analysis();
  ASSERT_THAT(found.cross_binding, SizeIs(1));
  EXPECT_EQ(found.cross_binding[0].binding, "python");
  EXPECT_THAT(found.varied, IsEmpty());
}

}  // namespace
}  // namespace crossbind::analysis
