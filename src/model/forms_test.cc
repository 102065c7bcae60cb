#include "model/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/features.h"
#include "model/ready_model.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Forms, ChangeEveryLayerOfTheTypeAndTheOptimizer) {
  Model model = ready_model("resnet20");
  model.optimizer = Adam{};
  const auto changed =
      with_forms(model, {{"adam.epsilon_form", "hat"}, {"batchnorm.running_variance", "biased"}});
  ASSERT_THAT(changed, testing::is_ok());
  EXPECT_THAT(features(*changed), Contains("adam.epsilon_form=hat"));
  EXPECT_THAT(features(*changed), Contains("batchnorm.running_variance=biased"));
  EXPECT_THAT(features(*changed), Not(Contains("batchnorm.running_variance=unbiased")));
}

TEST(Forms, NumbersAreNumbers) {
  Model model = ready_model("lenet1");
  model.optimizer = Adam{};
  const auto changed = with_forms(model, {{"adam.beta2", "0.99900001287460327"}});
  ASSERT_THAT(changed, testing::is_ok());
  EXPECT_EQ(std::get<Adam>(changed->optimizer).beta2, 0.99900001287460327);
}

TEST(Forms, WhatIsNoFieldOfTheModelIsLeftAside) {
  const Model model = ready_model("lenet1");
  const auto changed = with_forms(model, {{"threads", "2"}, {"adam.epsilon_form", "hat"}});
  ASSERT_THAT(changed, testing::is_ok());
  EXPECT_EQ(features(*changed), features(model));
}

TEST(Forms, ReachWeightDecay) {
  Model model = ready_model("resnet20");
  const auto changed = with_forms(model, {{"weight_decay.form", "decoupled"}});
  ASSERT_THAT(changed, testing::is_ok());
  EXPECT_EQ(form_of(model, "weight_decay.form"), "coupled");
  EXPECT_EQ(form_of(*changed, "weight_decay.form"), "decoupled");
}

TEST(Forms, LeaveAllElseOfTheModelAsItIs) {
  const Model model = ready_model("gru");
  const auto changed = with_forms(model, {{"gru.reset_after", "false"}});
  ASSERT_THAT(changed, testing::is_ok());
  EXPECT_EQ(form_of(*changed, "gru.reset_after"), "false");
  ASSERT_EQ(changed->parameters.size(), model.parameters.size());
  EXPECT_EQ(changed->parameters.front().initial.amount, model.parameters.front().initial.amount);
}

TEST(Forms, AFormThatThereIsNotIsAnError) {
  EXPECT_THAT(with_forms(ready_model("resnet20"), {{"batchnorm.running_variance", "halved"}}),
              testing::fails_with(HasSubstr("running_variance")));
  EXPECT_THAT(with_forms(ready_model("resnet20"), {{"batchnorm.epsilon", "small"}}),
              testing::fails_with(HasSubstr("not as documented")));
  EXPECT_THAT(with_forms(ready_model("bert-base"), {{"gelu.form", "tanh"}}),
              testing::fails_with(HasSubstr("form=tanh")));
}

}  // namespace
}  // namespace crossbind::model
