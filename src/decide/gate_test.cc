#include "decide/gate.h"

#include <rapidcheck/gtest.h>

#include "decide/gate_report.h"
#include "decide/made_up.h"
#include "testing/testing.h"

namespace crossbind::decide {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Trials = std::vector<store::TrialRecord>;

Trials slower(Trials trials, double factor) {
  for (auto& trial : trials) {
    for (auto& series : trial.series) {
      if (series.metric != "infer.accuracy") {
        for (double& value : series.values) {
          value *= factor;
        }
      }
    }
  }
  return trials;
}

Trials joined(Trials a, const Trials& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A binding's whole study: trainings, what it infers, what the referee says.
Trials study(const std::string& binding, size_t seeds) {
  auto trials = noisy_trainings(binding, seeds, 2);
  for (uint32_t seed = 1; seed <= seeds; ++seed) {
    trials.push_back(made_inference(binding, seed, 0.5 + 0.001 * seed));
    trials.push_back(made_judgement(binding, seed));
  }
  return trials;
}

Gate gate_of(const Trials& baseline, const Trials& candidate, const GateOptions& options = {}) {
  return compare_stores(store_of(baseline), store_of(candidate, "b"), options).value();
}

TEST(Gate, RefusesToPassAStoreAgainstItself) {
  const auto store = store_of(study("pytorch/rust", 5));
  const auto gate = compare_stores(store, store).value();
  EXPECT_EQ(gate.decision, GateDecision::kUndecided);
  EXPECT_THAT(gate.undecided, ElementsAre(HasSubstr("one and the same measurement")));
  EXPECT_EQ(gate.compared, 15U);
  EXPECT_EQ(gate.same, 15U);
  EXPECT_THAT(gate.times, IsEmpty());  // one measurement says nothing about itself
  EXPECT_EQ(compare_stores(store, store, {.allow_unchanged = true}).value().decision,
            GateDecision::kPassed);
}

TEST(Gate, PassesTheSameNumbersOfAnotherBuild) {
  const auto gate = gate_of(study("pytorch/rust", 5), study("pytorch/rust", 5));
  EXPECT_EQ(gate.decision, GateDecision::kPassed);
  EXPECT_EQ(gate.same, 0U);
  EXPECT_THAT(gate.times, SizeIs(2));
  EXPECT_THAT(gate.undecided, IsEmpty());
}

TEST(Gate, FailsWhatTakesThreeTimesAsLong) {
  const auto baseline = study("pytorch/rust", 5);
  const auto gate = gate_of(baseline, slower(baseline, 3));
  EXPECT_EQ(gate.decision, GateDecision::kFailed);
  EXPECT_THAT(gate.changes, IsEmpty());
  for (const auto& time : gate.times) {
    EXPECT_EQ(time.finding.pace, Pace::kSlower);
    EXPECT_NEAR(time.finding.ratio, 3, 1e-12);
    EXPECT_TRUE(time.ratio_interval);
  }
  EXPECT_EQ(gate_of(baseline, slower(baseline, 3), {.max_slowdown = 2.5}).decision,
            GateDecision::kPassed);
  EXPECT_EQ(gate_of(baseline, slower(baseline, 3), {.max_slowdown = std::nullopt}).decision,
            GateDecision::kPassed);
}

TEST(Gate, FailsAtOnceOnOneTrialThatBecameWrong) {
  const auto baseline = study("pytorch/rust", 5);
  auto candidate = baseline;
  candidate[0] = made_failure(candidate[0], "out of memory");
  const auto gate = gate_of(baseline, candidate);
  EXPECT_EQ(gate.decision, GateDecision::kFailed);
  ASSERT_THAT(gate.changes, SizeIs(1));
  EXPECT_EQ(gate.changes[0].treatment,
            "pytorch/rust lenet5 on mnist: train (cpu, resident, step, total)");
  EXPECT_EQ(gate.changes[0].trial, "seed 1, repeat 0");
}

TEST(Gate, FailsWhenAModelNoLongerKeepsItsAccuracy) {
  Trials baseline;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    baseline.push_back(made_training("pytorch/python", seed, 1, 0.97 + 0.005 * seed));
    baseline.push_back(made_inference("pytorch/rust", seed, 1, 0.97 + 0.005 * seed));
  }
  auto candidate = baseline;
  candidate[1].series[0].values = {0.9748};  // two samples of 10,000: within any noise
  const auto gate = gate_of(baseline, candidate);
  EXPECT_EQ(gate.decision, GateDecision::kFailed);
  ASSERT_THAT(gate.changes, SizeIs(1));
  EXPECT_EQ(gate.changes[0].change.kind, ChangeKind::kReproduction);
  EXPECT_THAT(gate.changes[0].change.what, HasSubstr("off by up to 0.0002"));
  EXPECT_EQ(gate_of(candidate, candidate, {.max_slowdown = std::nullopt}).decision,
            GateDecision::kPassed);
}

TEST(Gate, RefusesToPassWhenNothingWasCompared) {
  const auto gate = gate_of({}, study("pytorch/rust", 5));
  EXPECT_EQ(gate.decision, GateDecision::kUndecided);
  EXPECT_THAT(gate.undecided, ElementsAre(HasSubstr("nothing was compared")));
  EXPECT_EQ(gate_of(study("pytorch/rust", 5), {}, {.allow_missing = true}).decision,
            GateDecision::kUndecided);
}

TEST(Gate, NamesWhatIsMissingAndDoesNotPassWithoutIt) {
  const auto both = joined(study("pytorch/rust", 5), study("pytorch/cpp", 5));
  const auto one = study("pytorch/rust", 5);
  const auto gate = gate_of(both, one);
  EXPECT_EQ(gate.decision, GateDecision::kUndecided);
  ASSERT_THAT(gate.missing, SizeIs(3));
  EXPECT_THAT(gate.missing[0].treatment, HasSubstr("pytorch/cpp lenet5"));
  EXPECT_EQ(gate.missing[0].trials, 5U);
  EXPECT_EQ(gate_of(both, one, {.allow_missing = true}).decision, GateDecision::kPassed);
  const auto added = gate_of(one, both);
  EXPECT_EQ(added.decision, GateDecision::kPassed);
  EXPECT_EQ(added.added, 3U);
}

TEST(Gate, SaysThatTheSamplesAreTooFewInsteadOfPassing) {
  const auto baseline = study("pytorch/rust", 1);
  const auto gate = gate_of(baseline, slower(baseline, 3));
  EXPECT_EQ(gate.decision, GateDecision::kUndecided);
  EXPECT_THAT(gate.undecided, ElementsAre(HasSubstr("5 each would do")));
  EXPECT_EQ(gate_of(baseline, baseline, {.max_slowdown = std::nullopt}).decision,
            GateDecision::kPassed);
}

TEST(Gate, ComparesTrialsOfTheSameSettingsOnly) {
  const auto baseline = noisy_trainings("pytorch/rust", 5, 1);
  auto candidate = noisy_trainings("pytorch/rust", 5, 3);
  for (auto& trial : candidate) {
    trial.settings.push_back({"batch_size", "64", "64"});
  }
  const auto gate = gate_of(baseline, candidate);
  EXPECT_EQ(gate.compared, 0U);
  EXPECT_THAT(gate.missing, SizeIs(1));
}

TEST(Gate, TakesTheLatestBuildOfEachStore) {
  const auto baseline = noisy_trainings("pytorch/rust", 5, 1);
  auto store = store_of(baseline);
  const auto study = store.studies().value()[0].id;
  for (auto trial : slower(baseline, 3)) {
    trial.identity = fmt::format("{:064x}", trial.axes.seed);
    trial.started += std::chrono::hours(1);
    ASSERT_THAT(store.add_trial(study, trial), testing::is_ok());
  }
  EXPECT_EQ(compare_stores(store_of(baseline), store).value().decision, GateDecision::kFailed);
  EXPECT_EQ(compare_stores(store, store_of(baseline)).value().decision, GateDecision::kPassed);
}

TEST(Gate, DoesNotTimeTrialsWithInnerTimers) {
  auto baseline = noisy_trainings("pytorch/rust", 5, 1);
  for (auto& trial : baseline) {
    trial.axes.measure = "parts";
  }
  const auto gate = gate_of(baseline, slower(baseline, 3));
  EXPECT_EQ(gate.decision, GateDecision::kPassed);
  EXPECT_THAT(gate.times, IsEmpty());
}

TEST(Gate, DoesNotDependOnTheOrderOfTrials) {
  const auto baseline = joined(study("pytorch/rust", 4), study("pytorch/cpp", 4));
  auto candidate = slower(baseline, 1.5);
  candidate[2] = made_failure(candidate[2], "x");
  const auto text = gate_json(gate_of(baseline, candidate));
  // A few orders: each gate draws its intervals anew, which takes half a second under sanitizers.
  for (const uint32_t seed : {1U, 2U, 3U, 4U, 5U}) {
    EXPECT_EQ(gate_json(gate_of(shuffled(baseline, seed), shuffled(candidate, seed + 1))), text);
  }
}

}  // namespace
}  // namespace crossbind::decide
