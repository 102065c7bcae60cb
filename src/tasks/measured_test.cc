#include "tasks/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <limits>

#include "tasks/conform/made_up_verdict.h"
#include "testing/testing.h"

namespace crossbind::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using trial::Kind;

store::TrialRecord record_of(const std::string& task, const Measured& measured) {
  store::TrialRecord trial;
  trial.identity = "0a";
  trial.axes.task = task;
  write(measured, trial);
  return trial;
}

// As a store gives it back.
Measured through_rows(const std::string& task, const Measured& measured) {
  store::TrialRecord trial = record_of(task, measured);
  RC_ASSERT(store::validate(trial).has_value());
  store::sort_parts(trial);
  const auto came = read(trial);
  RC_ASSERT(came.has_value());
  return *came;
}

std::vector<Contradiction> some_contradictions() {
  const auto some = *numbers();
  std::vector<Contradiction> all;
  for (size_t i = 0; i + 1 < some.size() && i < 9; ++i) {
    all.push_back({fmt::format("kind{}", i), fmt::format("{}s", i), some[i], some[i + 1]});
  }
  return all;
}

Trained a_training() {
  Trained trained;
  trained.warmup = *numbers();
  const int epochs = *rc::gen::inRange(0, 12);
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    trained.curve.push_back({epoch, maybe_number(), maybe_number(), maybe_number()});
    TimedEpoch timed{epoch, maybe_number(), {*numbers(), *numbers(), *numbers()}};
    if (timed.seconds || !timed.parts.empty()) {
      trained.epochs.push_back(std::move(timed));
    }
  }
  trained.in_total = maybe_number();
  trained.f1 = maybe_number();
  trained.auc = maybe_number();
  trained.parameters_sha256 = *rc::gen::arbitrary<std::string>();
  trained.outputs_sha256 = *rc::gen::arbitrary<std::string>();
  trained.contradictions = some_contradictions();
  return trained;
}

Passes some_passes() {
  return {*numbers(), *numbers(), *numbers(), *numbers()};
}

Inferred an_inference() {
  return {.warmup = *numbers(),
          .test = some_passes(),
          .train = some_passes(),
          .parts = {*numbers(), *numbers(), *numbers()},
          .answers = {*numbers(), *numbers(), *numbers()},
          .outputs_sha256 = *rc::gen::arbitrary<std::string>(),
          .expected_outputs_sha256 = *rc::gen::arbitrary<std::string>(),
          .seeds = *rc::gen::arbitrary<std::vector<uint32_t>>(),
          .contradictions = some_contradictions()};
}

RC_GTEST_PROP(Measured, ATrainingComesBackFromItsRows, ()) {
  const Measured trained = a_training();
  RC_ASSERT(through_rows("train", trained) == trained);
}

RC_GTEST_PROP(Measured, AnInferenceComesBackFromItsRows, ()) {
  const Measured inferred = an_inference();
  RC_ASSERT(through_rows("infer-parameters", inferred) == inferred);
  RC_ASSERT(through_rows("infer-serialization", inferred) == inferred);
}

RC_GTEST_PROP(Measured, JudgedStepsComeBackFromTheirRows, ()) {
  Judged judged;
  for (int step = 1; step <= *rc::gen::inRange(0, 4); ++step) {
    for (const Kind kind : {Kind::kForward, Kind::kGradient, Kind::kUpdate, Kind::kState}) {
      judged.errors.push_back({step, kind, maybe_number().value_or(0.5)});
    }
  }
  judged.ruling =
      *rc::gen::elementOf(std::vector{Ruling::kNone, Ruling::kAgrees, Ruling::kDiverges});
  judged.where = *rc::gen::arbitrary<std::string>();
  RC_ASSERT(through_rows("judge", judged) == Measured(judged));
}

RC_GTEST_PROP(Measured, AVerdictOfConformComesBackFromItsRows, ()) {
  const Measured conformed = made_up_verdict(rc::gen::arbitrary<std::string>());
  RC_ASSERT(through_rows("conform", conformed) == conformed);
}

TEST(Measured, ATrainingHasTheRowsThatStoresHaveAlwaysHad) {
  const Trained trained{.curve = {{1, 0.5, 0.75, 0.25}},
                        .warmup = {0.003, 0.002},
                        .epochs = {{1, 1.5, {{1, 2}, {3, 4}, {5, 6}}}, {2, 2.5, {}}},
                        .in_total = 4,
                        .f1 = 0.5,
                        .auc = 0.75,
                        .parameters_sha256 = "aa",
                        .outputs_sha256 = "bb",
                        .contradictions = {{"macro_auc", "0.90", 0.9, 0.8}}};
  const auto trial = record_of("train", trained);
  EXPECT_THAT(trial.series,
              ElementsAre(store::Series{"warmup.step", 0, {0.003, 0.002}},
                          store::Series{"train.epoch", 1, {1.5}},
                          store::Series{"train.load", 1, {1, 2}},
                          store::Series{"train.forward", 1, {3, 4}},
                          store::Series{"train.backward", 1, {5, 6}},
                          store::Series{"train.epoch", 2, {2.5}},
                          store::Series{"train.total", 0, {4}},
                          store::Series{"test.f1", 0, {0.5}},
                          store::Series{"test.auc", 0, {0.75}}));
  EXPECT_THAT(trial.facts,
              UnorderedElementsAre(Pair("parameters_sha256", "aa"),
                                   Pair("outputs_sha256", "bb"),
                                   Pair("contradiction.macro_auc", "0.90 0.9 0.8")));
  EXPECT_EQ(trial.curve, trained.curve);
}

TEST(Measured, AnInferenceHasTheRowsThatStoresHaveAlwaysHad) {
  const Inferred inferred{.warmup = {0.5},
                          .test = {{1.5}, {0.75}, {0.5}, {1}},
                          .train = {{2.5}, {0.25}, {0.125}, {0}},
                          .parts = {{1}, {2}, {}},
                          .answers = {{3}, {0.1, 0.2}, {0.3}},
                          .outputs_sha256 = "aa",
                          .expected_outputs_sha256 = "bb",
                          .seeds = {1, 2},
                          .contradictions = {{"accuracy", "0.5", 0.5, 0.75}}};
  auto trial = record_of("infer-parameters", inferred);
  store::sort_parts(trial);
  EXPECT_THAT(trial.series,
              ElementsAre(store::Series{"infer.accuracy", 0, {0.75}},
                          store::Series{"infer.differing", 0, {3}},
                          store::Series{"infer.expected", 0, {0.5}},
                          store::Series{"infer.forward", 0, {2}},
                          store::Series{"infer.load", 0, {1}},
                          store::Series{"infer.margin", 0, {0.1, 0.2}},
                          store::Series{"infer.output_difference", 0, {0.3}},
                          store::Series{"infer.same", 0, {1}},
                          store::Series{"infer.total", 0, {1.5}},
                          store::Series{"infer.train_accuracy", 0, {0.25}},
                          store::Series{"infer.train_expected", 0, {0.125}},
                          store::Series{"infer.train_same", 0, {0}},
                          store::Series{"infer.train_total", 0, {2.5}},
                          store::Series{"warmup.step", 0, {0.5}}));
  EXPECT_THAT(trial.facts,
              UnorderedElementsAre(Pair("outputs_sha256", "aa"),
                                   Pair("expected_outputs_sha256", "bb"),
                                   Pair("seeds", "1 2"),
                                   Pair("contradiction.accuracy", "0.5 0.5 0.75")));
}

TEST(Measured, JudgedStepsHaveTheRowsThatStoresHaveAlwaysHad) {
  const Judged judged{.errors = {{1, Kind::kForward, 0.5},
                                 {1, Kind::kGradient, std::numeric_limits<double>::quiet_NaN()},
                                 {1, Kind::kUpdate, 0.25},
                                 {1, Kind::kState, std::numeric_limits<double>::infinity()}},
                      .ruling = Ruling::kDiverges,
                      .where = "step 1"};
  const auto trial = record_of("judge", judged);
  EXPECT_THAT(trial.series,
              ElementsAre(store::Series{"judge.forward", 1, {0.5}},
                          store::Series{"judge.gradient", 1, {1e300}},
                          store::Series{"judge.update", 1, {0.25}},
                          store::Series{"judge.state", 1, {1e300}}));
  EXPECT_THAT(trial.facts,
              UnorderedElementsAre(Pair("verdict", "diverges"), Pair("verdict.where", "step 1")));
  const auto agrees = record_of("judge", Judged{.ruling = Ruling::kAgrees});
  EXPECT_THAT(agrees.facts, UnorderedElementsAre(Pair("verdict", "within rounding")));
}

TEST(Measured, ATaskOfAnotherVersionIsNamedNotGuessed) {
  store::TrialRecord trial;
  trial.identity = "0a";
  trial.axes.task = "attack";
  const auto came = read(trial);
  ASSERT_FALSE(came.has_value());
  EXPECT_EQ(came.error().to_string(),
            "trial 0a: the task 'attack' is not known\n"
            "  Another version of crossbind may have written it.");
}

TEST(Measured, AVerdictThatIsNoneOfTheRefereesIsCorrupt) {
  store::TrialRecord trial;
  trial.axes.task = "judge";
  trial.facts["verdict"] = "perhaps";
  EXPECT_EQ(read(trial).error().kind, ErrorKind::kCorrupt);
  trial.axes.task = "conform";
  EXPECT_EQ(read(trial).error().kind, ErrorKind::kCorrupt);
}

TEST(Measured, ATrialThatIsNotDoneHasMeasuredNothing) {
  store::TrialRecord trial;
  trial.outcome = store::Outcome::kFailed;
  trial.axes.task = "train";
  EXPECT_EQ(read(trial).value(), Measured(Trained()));
  trial.axes.task = "infer-serialization";
  EXPECT_EQ(read(trial).value(), Measured(Inferred()));
  trial.axes.task = "judge";
  EXPECT_EQ(read(trial).value(), Measured(Judged()));
}

// Names with a number, a kind or a part in them stand for all of their like.
std::string documented(std::string name) {
  const auto replace = [&](std::string_view what, std::string_view by) {
    if (const size_t place = name.find(what); place != std::string::npos) {
      name.replace(place, what.size(), by);
    }
  };
  for (const auto& [part, value] : kConformParts) {
    replace(fmt::format("{}.", part), "PART.");
  }
  replace(".1", ".N");
  replace("contradiction.accuracy", "contradiction.KIND");
  if (const size_t place = name.find("divergence."); place != std::string::npos) {
    name.replace(place, std::string::npos, "divergence.MEMBER");
  }
  return name;
}

// One of each task that has everything a trial can have.
std::vector<store::TrialRecord> all_rows() {
  const std::vector<double> some = {0.5};
  const Divergence divergence{
      .layer = "l", .tensor = "t", .detail = "d", .cause = "c", .repro = "r"};
  const PartFinding part{.divergence = divergence, .reason = "r"};
  const Contradiction contradiction{"accuracy", "1", 1, 0};
  const PartTimes parts{some, some, some};
  const Passes passes{some, some, some, some};
  return {
      record_of("train",
                Trained{{}, {{1, 1.0}}, some, {{1, 1, parts}}, 1, 1, 1, "p", "o", {contradiction}}),
      record_of(
          "infer-parameters",
          Inferred{
              some, passes, passes, parts, {some, some, some}, "o", "e", {1}, {contradiction}}),
      record_of("judge",
                Judged{{{1, Kind::kForward, 1},
                        {1, Kind::kGradient, 1},
                        {1, Kind::kUpdate, 1},
                        {1, Kind::kState, 1}},
                       Ruling::kDiverges,
                       "where"}),
      record_of("conform",
                Conformed{.conventions = {"c"},
                          .divergence = divergence,
                          .reason = "r",
                          .parts = {part},
                          .same_as = {"s"},
                          .missed = {"m"}})};
}

TEST(Measured, EveryRowStandsInTheStoresDocumentation) {
  const auto page = read_file(testing::source_path("docs/store.md"));
  ASSERT_TRUE(page.has_value());
  for (const auto& trial : all_rows()) {
    for (const auto& series : trial.series) {
      EXPECT_THAT(*page, HasSubstr(fmt::format("`{}`", documented(series.metric))));
    }
    for (const auto& [name, value] : trial.facts) {
      EXPECT_THAT(*page, HasSubstr(fmt::format("`{}`", documented(name))));
    }
  }
}

// Tests may spell rows out; what they hold to is the words.
TEST(Measured, NobodyElseKnowsWhatMetricsAreCalled) {
  std::vector<std::filesystem::path> sources;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(testing::source_path("src"))) {
    const auto path = entry.path();
    const bool is_source = path.extension() == ".cc" || path.extension() == ".h";
    const bool is_ours = path.string().starts_with(testing::source_path("src/tasks").string());
    if (is_source && !is_ours && !path.stem().string().ends_with("_test")) {
      sources.push_back(path);
    }
  }
  ASSERT_FALSE(sources.empty());
  for (const auto& path : sources) {
    const auto text = read_file(path).value();
    for (const auto& trial : all_rows()) {
      for (const auto& series : trial.series) {
        EXPECT_EQ(text.find(fmt::format("\"{}\"", series.metric)), std::string::npos)
            << path << " has " << series.metric;
      }
    }
  }
}

TEST(Measured, AKnownDivergenceIsADivergence) {
  EXPECT_TRUE(diverges(Conformed{.outcome = ConformOutcome::kKnown}));
  EXPECT_TRUE(diverges(Conformed{.outcome = ConformOutcome::kDiverges}));
  EXPECT_FALSE(diverges(Conformed{.outcome = ConformOutcome::kConvention}));
  EXPECT_FALSE(diverges(Conformed{.outcome = ConformOutcome::kFailed}));
  EXPECT_TRUE(diverges(Judged{.ruling = Ruling::kDiverges}));
  EXPECT_FALSE(diverges(Judged{.ruling = Ruling::kNone}));
}

}  // namespace
}  // namespace crossbind::tasks
