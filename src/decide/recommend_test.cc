#include "decide/recommend.h"

#include "decide/made_up.h"
#include "decide/recommend_report.h"
#include "testing/testing.h"

namespace crossbind::decide {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Trials = std::vector<store::TrialRecord>;

// Five seeds a binding: times around `seconds`, 1 % apart.
void add_trainings(Trials& trials, const std::string& binding, double seconds) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    trials.push_back(
        made_training(binding, seed, seconds * (1 + 0.01 * seed), 0.97 + 0.001 * seed));
  }
}

void add_inferences(Trials& trials, const std::string& binding, double seconds, double off = 0) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    trials.push_back(
        made_inference(binding, seed, seconds * (1 + 0.01 * seed), 0.97 + 0.001 * seed - off));
  }
}

// Rust infers fast, C++ as fast, JavaScript slowly, C# fast and wrong; Python trains fastest.
Trials small_study() {
  Trials trials;
  add_trainings(trials, "pytorch/python", 10);
  add_trainings(trials, "pytorch/rust", 20);
  add_trainings(trials, "pytorch/javascript", 40);
  add_inferences(trials, "pytorch/python", 3);
  add_inferences(trials, "pytorch/rust", 1);
  add_inferences(trials, "pytorch/cpp", 1.001);
  add_inferences(trials, "pytorch/javascript", 9);
  add_inferences(trials, "pytorch/csharp", 0.5, 0.1);
  return trials;
}

std::vector<Ranking> asked(const Trials& trials, const Question& question) {
  return recommend(gather_evidence(store_of(trials)).value(), question).value();
}

std::vector<std::string> names_in(const Ranking& ranking) {
  std::vector<std::string> names;
  for (const auto& one : ranking.options) {
    names.push_back(one.option.binding + " " + std::string(to_string(one.standing)));
  }
  return names;
}

TEST(Recommend, RanksBindingsByTheirMediansAndSaysWhatCannotBeToldApart) {
  const auto rankings = asked(small_study(), {.must_match = true});
  ASSERT_THAT(rankings, SizeIs(1));
  const auto& ranking = rankings[0];
  EXPECT_THAT(names_in(ranking),
              ElementsAre("pytorch/rust first",
                          "pytorch/cpp tied",
                          "pytorch/python slower",
                          "pytorch/javascript slower"));
  EXPECT_EQ(ranking.answer, Answer::kNotEnough);
  EXPECT_THAT(
      ranking.because,
      AllOf(HasSubstr("pytorch/rust by parameters (1.03 s a pass (n = 5)) cannot be told from "
                      "pytorch/cpp by parameters: 1"),
            HasSubstr("samples each would tell")));
  EXPECT_NEAR(ranking.options[2].fastest.ratio, 3, 1e-12);
  ASSERT_TRUE(ranking.options[2].fastest.interval);
  EXPECT_GT(ranking.options[2].fastest.interval->low, 2.8);
  ASSERT_THAT(ranking.left_out, SizeIs(1));
  EXPECT_EQ(ranking.left_out[0].name, "pytorch/csharp by parameters");
  EXPECT_THAT(ranking.left_out[0].why, HasSubstr("loses accuracy: accuracy off by up to 0.1"));
}

TEST(Recommend, WithoutMustMatchShowsWhatIsWrongBesideTheTime) {
  const auto rankings = asked(small_study(), {});
  EXPECT_EQ(rankings[0].answer, Answer::kRecommended);
  EXPECT_EQ(rankings[0].options[0].option.binding, "pytorch/csharp");
  EXPECT_EQ(rankings[0].options[0].option.correctness, Correctness::kLost);
  EXPECT_EQ(rankings[0].options[1].option.correctness, Correctness::kKept);
}

// Integration scenario 1.
TEST(Recommend, FindsTheBindingOfAProductsLanguageForAModelThatWasTrainedElsewhere) {
  const auto rankings = asked(small_study(), {.language = "javascript", .must_match = true});
  ASSERT_THAT(rankings, SizeIs(1));
  EXPECT_THAT(names_in(rankings[0]), ElementsAre("pytorch/javascript first"));
  EXPECT_EQ(rankings[0].answer, Answer::kRecommended);
  EXPECT_EQ(rankings[0].fastest_elsewhere, "pytorch/rust by parameters");
  EXPECT_NEAR(rankings[0].options[0].fastest.ratio, 9, 1e-12);
}

// Integration scenario 2.
TEST(Recommend, FindsThePairWithinAProductsOwnLanguage) {
  const auto rankings = asked(small_study(), {.purpose = Purpose::kBoth, .language = "javascript"});
  ASSERT_THAT(rankings, SizeIs(1));
  ASSERT_THAT(rankings[0].pairs, SizeIs(1));
  EXPECT_EQ(rankings[0].pairs[0].train.option.binding, "pytorch/javascript");
  EXPECT_EQ(rankings[0].pairs[0].infer.option.binding, "pytorch/javascript");
  EXPECT_NEAR(rankings[0].pairs[0].train.fastest.ratio, 4, 1e-12);
  EXPECT_FALSE(rankings[0].pairs[0].was_tried);
}

// Integration scenario 3.
TEST(Recommend, FindsTheBestPairWhateverTheLanguages) {
  auto trials = small_study();
  std::erase_if(trials, [](const auto& trial) { return trial.axes.binding == "pytorch/cpp"; });
  const auto rankings = asked(trials, {.purpose = Purpose::kBoth, .must_match = true});
  ASSERT_THAT(rankings, SizeIs(1));
  ASSERT_THAT(rankings[0].pairs, SizeIs(9));
  const auto& best = rankings[0].pairs[0];
  EXPECT_EQ(best.train.option.binding, "pytorch/python");
  EXPECT_EQ(best.infer.option.binding, "pytorch/rust");
  EXPECT_TRUE(best.was_tried);
  EXPECT_EQ(best.cost, 1);
  EXPECT_EQ(rankings[0].answer, Answer::kRecommended);
  for (size_t i = 1; i < rankings[0].pairs.size(); ++i) {
    EXPECT_EQ(rankings[0].pairs[i].standing, Standing::kSlower) << i;
  }
}

TEST(Recommend, NamesThePassesAtWhichAFasterTrainingIsPaidBack) {
  Trials trials;
  add_trainings(trials, "pytorch/python", 10);
  add_trainings(trials, "tensorflow/python", 30);
  add_inferences(trials, "pytorch/python", 2);
  const size_t first = trials.size();
  add_inferences(trials, "tensorflow/python", 1);
  for (size_t i = first; i < trials.size(); ++i) {
    trials[i].axes.weights = "tensorflow/python";
  }
  const auto rankings = asked(trials, {.purpose = Purpose::kBoth});
  ASSERT_THAT(rankings[0].pairs, SizeIs(2));  // no model went from one framework to the other
  EXPECT_EQ(rankings[0].answer, Answer::kNotEnough);
  const auto& trade = rankings[0].pairs[1];
  EXPECT_EQ(trade.train.option.binding, "tensorflow/python");
  EXPECT_EQ(trade.standing, Standing::kTradeOff);
  ASSERT_TRUE(trade.break_even);
  EXPECT_NEAR(*trade.break_even, 20, 1e-9);
  EXPECT_THAT(rankings[0].because, HasSubstr("even at 20 passes a training"));
}

TEST(Recommend, TheRefereesWordComesBeforeEqualAccuracies) {
  Trials trials;
  add_trainings(trials, "pytorch/python", 10);
  add_trainings(trials, "pytorch/rust", 5);
  add_trainings(trials, "pytorch/cpp", 4);
  trials.push_back(made_judgement("pytorch/rust", 1));
  trials.push_back(made_judgement("pytorch/cpp", 1));
  trials.push_back(made_judgement("pytorch/cpp", 2, tasks::Ruling::kDiverges));
  const auto rankings = asked(trials, {.purpose = Purpose::kTrain, .must_match = true});
  ASSERT_THAT(rankings, SizeIs(1));
  EXPECT_THAT(names_in(rankings[0]), ElementsAre("pytorch/rust first", "pytorch/python slower"));
  EXPECT_EQ(rankings[0].options[0].option.correctness, Correctness::kReferee);
  EXPECT_EQ(rankings[0].options[1].option.correctness, Correctness::kBaseline);
  EXPECT_THAT(recommendations_json(rankings), HasSubstr("\"agreement\": \"baseline\""));
  EXPECT_THAT(rankings[0].left_out[0].why, HasSubstr("diverges: step 1, forward 'conv1.out'[3]"));
  EXPECT_TRUE(rankings[0].per_epoch);
  EXPECT_DOUBLE_EQ(rankings[0].options[0].option.median, 5 * 1.03 / 2);
}

TEST(Recommend, TakesTheWordOfConformFromTheStore) {
  Trials trials;
  add_trainings(trials, "pytorch/python", 10);
  add_trainings(trials, "pytorch/rust", 5);
  add_trainings(trials, "pytorch/cpp", 4);
  trials.push_back(made_verdict("pytorch/rust", tasks::ConformOutcome::kRounding));
  trials.push_back(made_verdict("pytorch/cpp", tasks::ConformOutcome::kKnown));
  const auto rankings = asked(trials, {.purpose = Purpose::kTrain, .must_match = true});
  ASSERT_THAT(rankings, SizeIs(1)) << "verdicts are no case of their own";
  EXPECT_THAT(names_in(rankings[0]), ElementsAre("pytorch/rust first", "pytorch/python slower"));
  EXPECT_EQ(rankings[0].options[0].option.correctness, Correctness::kReferee);
  EXPECT_EQ(rankings[0].options[0].option.because, "conform: all within rounding");
  EXPECT_THAT(rankings[0].left_out[0].why,
              HasSubstr("diverges: conform: forward of probe, layer conv1, 3 times its bound"));
}

TEST(Recommend, WhatNeitherTrainsNorInfersIsNoCase) {
  for (const auto& [name, task] : trial::kRecordedTasks) {
    EXPECT_EQ(work_of(task).has_value(), name == "train" || name.starts_with("infer")) << name;
  }
  const Trials trials = {made_judgement("pytorch/rust", 1),
                         made_verdict("pytorch/rust", tasks::ConformOutcome::kRounding)};
  EXPECT_THAT(gather_evidence(store_of(trials)).value(), IsEmpty());
}

TEST(Recommend, OneSampleIsNotEnoughEvidence) {
  const auto rankings = asked({made_training("pytorch/python", 1, 10),
                               made_training("pytorch/rust", 1, 1),
                               made_training("pytorch/cpp", 1, 30)},
                              {.purpose = Purpose::kTrain});
  EXPECT_EQ(rankings[0].answer, Answer::kNotEnough);
  EXPECT_THAT(rankings[0].because, HasSubstr("at least 4 samples each are needed"));
}

TEST(Recommend, LeavesOutWhatIsTooSlowWithItsRatio) {
  const auto rankings = asked(small_study(), {.must_match = true, .max_slowdown = 4});
  EXPECT_THAT(rankings[0].options, SizeIs(3));
  EXPECT_THAT(rankings[0].left_out[1].why, HasSubstr("takes 9 ("));
  const auto none = asked(small_study(), {.language = "javascript", .max_slowdown = 0.5});
  EXPECT_EQ(none[0].answer, Answer::kNothing);
}

TEST(Recommend, NeverOffersCrossbindsOwnOrWhatFailed) {
  Trials trials;
  add_inferences(trials, "reference/cpp", 0.1);
  trials.push_back(made_failure(made_inference("pytorch/java", 1, 1), "out of memory"));
  const auto rankings = asked(trials, {});
  EXPECT_EQ(rankings[0].answer, Answer::kNothing);
  ASSERT_THAT(rankings[0].left_out, SizeIs(2));
  EXPECT_EQ(rankings[0].left_out[0].why, "failed: out of memory");
  EXPECT_THAT(rankings[0].left_out[1].name, HasSubstr("reference/cpp"));
}

TEST(Recommend, NamesWhatFailedInTheLanguageThatIsAskedFor) {
  Trials trials;
  add_inferences(trials, "pytorch/python", 1);
  trials.push_back(made_failure(made_inference("pytorch/java", 1, 1), "out of memory"));
  ASSERT_THAT(asked(trials, {.language = "java"}), SizeIs(1));
  ASSERT_THAT(asked(trials, {.language = "java"})[0].left_out, SizeIs(1));
  EXPECT_EQ(asked(trials, {.language = "java"})[0].left_out[0].name, "pytorch/java by parameters");
  EXPECT_THAT(asked(trials, {.language = "python"})[0].left_out, IsEmpty());
}

TEST(Recommend, HasNothingToSayOfWhatWasNotMeasured) {
  EXPECT_THAT(asked(small_study(), {.model = "vgg16"}), IsEmpty());
  EXPECT_THAT(asked(small_study(), {.device = "gpu"}), IsEmpty());
  EXPECT_THAT(asked({}, {}), IsEmpty());
}

TEST(Recommend, DoesNotDependOnTheOrderOfTrials) {
  for (const auto purpose : {Purpose::kInfer, Purpose::kBoth}) {
    const auto text = recommendations_json(asked(small_study(), {.purpose = purpose}));
    EXPECT_EQ(recommendations_json(asked(shuffled(small_study(), 3), {.purpose = purpose})), text);
    EXPECT_THAT(text, HasSubstr("\"answer\""));
  }
}

}  // namespace
}  // namespace crossbind::decide
