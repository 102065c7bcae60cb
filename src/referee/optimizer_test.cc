#include "referee/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace crossbind::referee {
namespace {

using model::Adam;
using model::DecayApplies;
using model::DecayForm;
using model::EpsilonForm;
using model::Role;
using model::Sgd;

Array<double> one(double value) {
  Array<double> array(Shape{1});
  array[0] = value;
  return array;
}

// The parameter after these gradients, starting from 1.
double after(const model::Optimizer& optimizer,
             const std::vector<double>& gradients,
             Role role = Role::kWeight) {
  auto parameter = one(1);
  auto state = initial_state<double>(optimizer, {1});
  int64_t step = 0;
  for (const double gradient : gradients) {
    update(optimizer, role, ++step, one(gradient), state, parameter);
  }
  return parameter[0];
}

TEST(Sgd, SubtractsTheRateTimesTheGradient) {
  EXPECT_DOUBLE_EQ(after(Sgd{.rate = 0.1}, {2}), 0.8);
}

TEST(Sgd, MomentumStartsWithTheGradientItself) {
  // m: 2, then 0.9 * 2 + 1 = 2.8
  EXPECT_DOUBLE_EQ(after(Sgd{.rate = 0.1, .momentum = 0.9}, {2, 1}), 1 - 0.2 - 0.28);
}

TEST(WeightDecay, CoupledGoesThroughMomentumDecoupledDoesNot) {
  const Sgd coupled{
      .rate = 0.1, .momentum = 0.5, .weight_decay = {0.2, DecayForm::kCoupled, DecayApplies::kAll}};
  // m1 = 0.2, p = 0.98; m2 = 0.1 + 0.196, p = 0.98 - 0.0296
  EXPECT_DOUBLE_EQ(after(coupled, {0, 0}), 0.9504);
  const Sgd decoupled{.rate = 0.1,
                      .momentum = 0.5,
                      .weight_decay = {0.2, DecayForm::kDecoupled, DecayApplies::kAll}};
  EXPECT_DOUBLE_EQ(after(decoupled, {0, 0}), 0.98 * 0.98);
}

TEST(WeightDecay, MaySpareBiasesAndNorms) {
  const Sgd weights{.rate = 0.1,
                    .weight_decay = {0.5, DecayForm::kCoupled, DecayApplies::kWeights}};
  EXPECT_DOUBLE_EQ(after(weights, {0}, Role::kWeight), 0.95);
  for (const auto role : {Role::kBias, Role::kScale, Role::kShift}) {
    EXPECT_DOUBLE_EQ(after(weights, {0}, role), 1);
  }
}

TEST(Adam, BothEpsilonFormsFollowTheirFormula) {
  const double g = 0.3;
  const double m = 0.1 * g;
  const double v = 0.001 * g * g;
  const double outside = 0.01 * (m / 0.1) / (std::sqrt(v / 0.001) + 1e-2);
  const double hat = 0.01 * std::sqrt(0.001) / 0.1 * m / (std::sqrt(v) + 1e-2);
  const Adam adam{.rate = 0.01, .epsilon = 1e-2, .epsilon_form = EpsilonForm::kOutside};
  auto other = adam;
  other.epsilon_form = EpsilonForm::kHat;
  EXPECT_NEAR(after(adam, {g}), 1 - outside, 1e-14);
  EXPECT_NEAR(after(other, {g}), 1 - hat, 1e-14);
  EXPECT_GT(std::abs(outside - hat), 1e-3);  // the two are not the same thing
}

TEST(OptimizerState, ExistsOnlyWhereTheOptimizerHasMoments) {
  EXPECT_FALSE(has_first_moment(Sgd{}));
  EXPECT_TRUE(has_first_moment(Sgd{.momentum = 0.9}));
  EXPECT_FALSE(has_second_moment(Sgd{.momentum = 0.9}));
  EXPECT_TRUE(has_second_moment(Adam{}));
  EXPECT_EQ(initial_state<double>(Sgd{}, {3}).m.size(), 0);
  EXPECT_EQ(initial_state<double>(Adam{}, {3}).v.size(), 3);
}

}  // namespace
}  // namespace crossbind::referee
