#include "model/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/features.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Model ready_model(const std::string& id) {
  return find_model(id, testing::source_path("models"), Geometry::kFull).value();
}

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

TEST(Forms, AFormThatThereIsNotIsAnError) {
  EXPECT_THAT(with_forms(ready_model("resnet20"), {{"batchnorm.running_variance", "halved"}}),
              testing::fails_with(HasSubstr("running_variance")));
}

}  // namespace
}  // namespace crossbind::model
