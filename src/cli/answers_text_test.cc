#include "cli/answers_text.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using app::ComparedAnswers;
using app::Sameness;

ComparedAnswers answers(Sameness sameness, double differing, double accuracy) {
  return {.sameness = sameness,
          .accuracy = accuracy,
          .expected_accuracy = 0.5,
          .differing = differing,
          .output_difference = 3e-7};
}

TEST(AnswersText, SaysHowNearAnswersAre) {
  EXPECT_EQ(cell_of(answers(Sameness::kIdentical, 0, 0.5)), "=");
  EXPECT_EQ(cell_of(answers(Sameness::kClose, 0, 0.5)), "≈ 3e-07");
  EXPECT_EQ(cell_of(answers(Sameness::kDiffers, 2, 0.5)), "2 differ, Δacc +0.00 %");
  EXPECT_EQ(cell_of(answers(Sameness::kDiffers, 0, 0.498)), "0 differ, Δacc -0.20 %");
}

TEST(AnswersText, TellsTheWholeStoryOfADifference) {
  auto differing = answers(Sameness::kDiffers, 2, 0.5);
  differing.smallest_margin = 0.001;
  differing.largest_margin = 0.25;
  EXPECT_EQ(story_of(differing),
            "2 predictions differ (margins 0.001 to 0.25), accuracy 50.00 % instead of 50.00 %, "
            "largest output difference 3e-07");
}

TEST(AnswersText, SaysWhyThereAreNone) {
  const ComparedAnswers unsupported{.sameness = Sameness::kUnsupported, .reason = "layer gru"};
  EXPECT_EQ(cell_of(unsupported), "·");
  EXPECT_EQ(story_of(unsupported), "unsupported: layer gru");
  EXPECT_EQ(cell_of({.sameness = Sameness::kFailed}), "failed");
  EXPECT_EQ(cell_of({}), "not run");
}

TEST(AnswersText, FillsEveryColumn) {
  EXPECT_EQ(answer_values(answers(Sameness::kDiffers, 1, 0.5)).size(), answer_columns().size());
}

TEST(AnswersText, EndsWithOneWhereSomethingDiffersAndWithThreeWhereSomethingWasNotTried) {
  EXPECT_EQ(exit_code({{.sameness = Sameness::kIdentical},
                       {.sameness = Sameness::kClose},
                       {.sameness = Sameness::kUnsupported}}),
            0);
  EXPECT_EQ(exit_code({{.sameness = Sameness::kDiffers}, {.sameness = Sameness::kFailed}}), 1);
  EXPECT_EQ(exit_code({{.sameness = Sameness::kFailed}}), 3);
  EXPECT_EQ(exit_code({{.sameness = Sameness::kNotRun}}), 3);
}

}  // namespace
}  // namespace crossbind::cli
