#include "model/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/ready_model.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(Features, NameEveryLayerTypeOnce) {
  EXPECT_THAT(layer_types(ready_model("lenet5")),
              ElementsAre("pad", "conv2d", "tanh", "max_pool2d", "flatten", "linear"));
}

TEST(Features, KnowEveryTypeThereIs) {
  EXPECT_EQ(all_layer_types().size(), std::variant_size_v<Layer>);
  EXPECT_THAT(all_layer_types(), Contains("self_attention"));
  EXPECT_THAT(all_loss_types(),
              ElementsAre("cross_entropy", "binary_cross_entropy", "span_cross_entropy"));
  EXPECT_THAT(all_optimizer_types(), ElementsAre("sgd", "adam"));
}

TEST(Features, TellTheTwoFormsOfAGruApart) {
  EXPECT_THAT(features(ready_model("gru")), Contains("gru.reset_after=true"));
  EXPECT_THAT(features(ready_model("gru")), Not(Contains("gru.reset_after=false")));
  EXPECT_THAT(features(ready_model("grurb")), Contains("gru.reset_after=false"));
  EXPECT_THAT(features(ready_model("lstm")), Contains("lstm.biases=1"));
}

TEST(Features, NameTheFormsOfTheOptimizer) {
  Model model = ready_model("lenet5");
  EXPECT_EQ(optimizer_type(model), "sgd");
  EXPECT_EQ(loss_type(model), "cross_entropy");
  EXPECT_THAT(features(model), Not(Contains("sgd.momentum")));
  model.optimizer = Sgd{0.1, 0.9, {1e-4, DecayForm::kDecoupled, DecayApplies::kWeights}};
  EXPECT_THAT(features(model), Contains("sgd.momentum"));
  EXPECT_THAT(features(model), Contains("weight_decay.form=decoupled"));
  model.optimizer = Adam{.rate = 0.1, .epsilon = 1e-8, .epsilon_form = EpsilonForm::kHat};
  EXPECT_THAT(features(model), Contains("adam.epsilon_form=hat"));
  EXPECT_THAT(features(model), Not(Contains("weight_decay")));
}

}  // namespace
}  // namespace crossbind::model
