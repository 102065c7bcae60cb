#include "crossbind_worker/scoring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace crossbind::worker {
namespace {

constexpr double kTolerance = 1e-14;  // a few roundings of numbers around 1
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
Score score_of(model::Loss loss,
               const tensor::Shape& shape,
               const std::vector<T>& outputs,
               const std::vector<std::vector<int64_t>>& targets) {
  const tensor::Tensor given(shape, outputs);
  std::vector<tensor::Tensor> held;
  std::vector<tensor::TensorView> views;
  for (const auto& values : targets) {
    held.emplace_back(tensor::Shape{static_cast<int64_t>(values.size())}, values);
  }
  for (const tensor::Tensor& each : held) {
    views.push_back(each.view());
  }
  return score(loss, given.view(), views);
}

TEST(Scoring, SumsCrossEntropiesAndCountsTheFirstOfEqualOutputs) {
  const Score found =
      score_of<float>(model::Loss::kCrossEntropy, {3, 2}, {1, 1, 1, 1, 0, 2}, {{0, 1, 1}});
  EXPECT_EQ(found.samples, 3);
  EXPECT_EQ(found.correct, 2);
  const double third = std::log(std::exp(0.0) + std::exp(2.0)) - 2;
  EXPECT_NEAR(found.loss, 2 * std::log(2.0) + third, kTolerance);
  EXPECT_NEAR(found.mean_loss(), found.loss / 3, kTolerance);
  EXPECT_NEAR(found.accuracy(), 2.0 / 3, kTolerance);
  EXPECT_TRUE(found.is_finite);
}

TEST(Scoring, OverflowsInNoExponential) {
  const Score large =
      score_of<float>(model::Loss::kCrossEntropy, {2, 2}, {1e30F, 0, -1e30F, 0}, {{0, 1}});
  EXPECT_EQ(large.loss, 0);
  EXPECT_EQ(score_of<float>(model::Loss::kBinaryCrossEntropy, {2, 1}, {500, -500}, {{0, 1}}).loss,
            1000);
}

TEST(Scoring, KeepsWhatADoubleHasBeyondAFloat) {
  const double logit = 1 + 1e-12;
  const double expected = std::log1p(std::exp(-logit));
  const Score found = score_of<double>(model::Loss::kCrossEntropy, {1, 2}, {logit, 0}, {{0}});
  EXPECT_NEAR(found.loss, expected, 1e-15);  // a float's logit would be off by 3e-13
}

TEST(Scoring, TakesOneOutputAboveZeroForAOne) {
  const Score found =
      score_of<float>(model::Loss::kBinaryCrossEntropy, {3, 1}, {0, 2, -1}, {{0, 1, 1}});
  EXPECT_EQ(found.correct, 2);
  EXPECT_NEAR(found.loss,
              std::log(2.0) + std::log1p(std::exp(-2.0)) + 1 + std::log1p(std::exp(-1.0)),
              kTolerance);
}

// [length, 2]: starts in the first column, ends in the second.
TEST(Scoring, WantsBothEndsOfASpan) {
  const Score found = score_of<float>(
      model::Loss::kSpanCrossEntropy, {2, 2, 2}, {1, 0, 0, 3, 1, 0, 0, 3}, {{0, 0}, {1, 0}});
  EXPECT_EQ(found.samples, 2);
  EXPECT_EQ(found.correct, 1);
  const double start = std::log1p(std::exp(-1.0));
  const double right_end = std::log1p(std::exp(-3.0));
  const double wrong_end = 3 + right_end;
  EXPECT_NEAR(found.loss, (start + right_end) / 2 + (start + wrong_end) / 2, kTolerance);
}

TEST(Scoring, CountsNoSampleThatHasANanAndSaysSo) {
  const Score choice =
      score_of<float>(model::Loss::kCrossEntropy, {2, 2}, {1, kNan, 1, 0}, {{0, 0}});
  EXPECT_EQ(choice.correct, 1);
  EXPECT_FALSE(choice.is_finite);
  const Score one = score_of<float>(model::Loss::kBinaryCrossEntropy, {1, 1}, {kNan}, {{0}});
  EXPECT_EQ(one.correct, 0);
  EXPECT_FALSE(one.is_finite);
}

TEST(Scoring, AddsUpBatches) {
  Score total = score_of<float>(model::Loss::kCrossEntropy, {1, 2}, {2, 0}, {{0}});
  total += score_of<float>(model::Loss::kCrossEntropy, {2, 2}, {0, 0, kNan, 0}, {{1, 0}});
  EXPECT_EQ(total.samples, 3);
  EXPECT_EQ(total.correct, 1);
  EXPECT_FALSE(total.is_finite);
}

}  // namespace
}  // namespace crossbind::worker
