#include "referee/loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace crossbind::referee {
namespace {

Array<double> logits(Shape shape, std::vector<double> values) {
  Array<double> array;
  array.shape = std::move(shape);
  array.values = std::move(values);
  return array;
}

const Math<double>& math() {
  static const Math<double> instance({});
  return instance;
}

TEST(CrossEntropy, OfEqualLogitsIsTheLogarithmOfTheClasses) {
  const auto result = compute_loss(model::Loss::kCrossEntropy,
                                   math(),
                                   logits({2, 4}, std::vector<double>(8, 3.0)),
                                   {{0, 3}, {}});
  EXPECT_NEAR(result.value, std::log(4.0), 1e-15);
  EXPECT_NEAR(result.gradient[0], (0.25 - 1) / 2, 1e-15);
  EXPECT_NEAR(result.gradient[1], 0.25 / 2, 1e-15);
}

TEST(CrossEntropy, SurvivesHugeLogits) {
  const auto result =
      compute_loss(model::Loss::kCrossEntropy, math(), logits({1, 2}, {1e4, -1e4}), {{1}, {}});
  EXPECT_EQ(result.value, 2e4);
  EXPECT_EQ(result.gradient[0], 1);
  EXPECT_EQ(result.gradient[1], -1);
}

TEST(BinaryCrossEntropy, MatchesItsDefinition) {
  const auto result = compute_loss(
      model::Loss::kBinaryCrossEntropy, math(), logits({2, 1}, {0.7, -1.3}), {{1, 1}, {}});
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_NEAR(result.value, -(std::log(sigmoid(0.7)) + std::log(sigmoid(-1.3))) / 2, 1e-15);
  EXPECT_NEAR(result.gradient[1], (sigmoid(-1.3) - 1) / 2, 1e-15);
}

TEST(SpanCrossEntropy, IsTheMeanOfStartAndEnd) {
  // Position-major: (start, end) pairs of three positions.
  const auto output = logits({1, 3, 2}, {1, 0, 2, 0, 3, 0});
  const auto result = compute_loss(model::Loss::kSpanCrossEntropy, math(), output, {{2}, {1}});
  const double start = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(3.0)) - 3;
  EXPECT_NEAR(result.value, (start + std::log(3.0)) / 2, 1e-15);
}

TEST(Accuracy, GivesTiesToTheLowestIndexAndNeedsALogitAboveZero) {
  EXPECT_EQ(
      count_correct(model::Loss::kCrossEntropy, logits({2, 3}, {1, 1, 0, 0, 2, 2}), {{0, 2}, {}}),
      1);
  EXPECT_EQ(
      count_correct(model::Loss::kBinaryCrossEntropy, logits({3, 1}, {0, 0, 0.1}), {{0, 1, 1}, {}}),
      2);
  EXPECT_EQ(
      count_correct(model::Loss::kSpanCrossEntropy, logits({1, 2, 2}, {1, 0, 0, 1}), {{0}, {1}}),
      1);
  EXPECT_EQ(
      count_correct(model::Loss::kSpanCrossEntropy, logits({1, 2, 2}, {1, 0, 0, 1}), {{0}, {0}}),
      0);
}

TEST(Accuracy, ANotANumberIsNeverRight) {
  const double nan = std::nan("");
  EXPECT_EQ(
      count_correct(model::Loss::kCrossEntropy, logits({2, 2}, {nan, nan, 1, nan}), {{0, 0}, {}}),
      0);
  EXPECT_EQ(
      count_correct(model::Loss::kBinaryCrossEntropy, logits({2, 1}, {nan, nan}), {{0, 1}, {}}), 0);
}

}  // namespace
}  // namespace crossbind::referee
