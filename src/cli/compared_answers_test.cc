#include "cli/compared_answers.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using ::testing::HasSubstr;

store::TrialRecord inference(double differing, double accuracy) {
  store::TrialRecord trial;
  trial.series = {{"infer.accuracy", 0, {accuracy}},
                  {"infer.differing", 0, {differing}},
                  {"infer.expected", 0, {0.5}},
                  {"infer.output_difference", 0, {3e-7}}};
  trial.facts = {{"outputs_sha256", "aa"}, {"expected_outputs_sha256", "bb"}};
  return trial;
}

TEST(ComparedAnswers, AreIdenticalWhenEveryOutputIs) {
  auto trial = inference(0, 0.5);
  trial.facts["outputs_sha256"] = "bb";
  const auto answers = compared_answers(trial);
  EXPECT_EQ(answers.sameness, Sameness::kIdentical);
  EXPECT_EQ(cell_of(answers), "=");
  EXPECT_EQ(exit_code({answers}), 0);
}

TEST(ComparedAnswers, AreCloseWhenEveryPredictionIsTheSame) {
  const auto answers = compared_answers(inference(0, 0.5));
  EXPECT_EQ(answers.sameness, Sameness::kClose);
  EXPECT_EQ(cell_of(answers), "≈ 3e-07");
  EXPECT_EQ(exit_code({answers}), 0);
}

TEST(ComparedAnswers, DifferByAPredictionOrByTheAccuracy) {
  auto trial = inference(2, 0.5);
  trial.series.push_back({"infer.margin", 0, {0.001, 0.25}});
  const auto answers = compared_answers(trial);
  EXPECT_EQ(answers.sameness, Sameness::kDiffers);
  EXPECT_EQ(cell_of(answers), "2 differ, Δacc +0.00 %");
  EXPECT_EQ(story_of(answers),
            "2 predictions differ (margins 0.001 to 0.25), accuracy 50.00 % instead of 50.00 %, "
            "largest output difference 3e-07");
  const auto worse = compared_answers(inference(0, 0.498));
  EXPECT_EQ(worse.sameness, Sameness::kDiffers);
  EXPECT_EQ(cell_of(worse), "0 differ, Δacc -0.20 %");
  EXPECT_EQ(exit_code({answers, {.sameness = Sameness::kFailed}}), 1);
}

TEST(ComparedAnswers, ThatAreNotThereSayWhy) {
  store::TrialRecord trial;
  trial.outcome = store::Outcome::kUnsupported;
  trial.reason = "layer gru";
  EXPECT_EQ(cell_of(compared_answers(trial)), "·");
  EXPECT_EQ(story_of(compared_answers(trial)), "unsupported: layer gru");
  EXPECT_EQ(exit_code({compared_answers(trial)}), 0);
  trial.outcome = store::Outcome::kFailed;
  EXPECT_EQ(cell_of(compared_answers(trial)), "failed");
  EXPECT_EQ(exit_code({compared_answers(trial)}), 3);
  auto alone = inference(0, 0.5);
  std::erase_if(alone.series, [](const auto& series) { return series.metric != "infer.accuracy"; });
  EXPECT_EQ(compared_answers(alone).sameness, Sameness::kNotRun);
  EXPECT_EQ(exit_code({compared_answers(alone)}), 3);
}

TEST(ComparedAnswers, FillEveryColumn) {
  EXPECT_EQ(answer_values(compared_answers(inference(1, 0.5))).size(), answer_columns().size());
}

}  // namespace
}  // namespace crossbind::cli
