#include "model/model_toml.h"

#include <nlohmann/json.hpp>

#include "model/graph_json.h"
#include "model/ready_model.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using testing::is_ok;

TEST(ModelToml, GivesTheSameGraphOfEveryReadyModelWhenItIsReadAgain) {
  const auto files = list_models(kReadyModels);
  ASSERT_THAT(files, is_ok());
  ASSERT_FALSE(files->empty());
  for (const auto& file : *files) {
    for (const auto geometry : {Geometry::kConform, Geometry::kFull}) {
      const auto model = load_model(file, geometry).value();
      const auto again = parse_model(model_toml(model), "written", Geometry::kFull);
      ASSERT_THAT(again, is_ok()) << file;
      EXPECT_EQ(canonical_graph(*again), canonical_graph(model)) << file;
    }
  }
}

TEST(ModelToml, KeepsWhatNoReadyModelHas) {
  const auto model = parse_model(R"(
id = "odd"
title = "quotes \" and \\ and \n"
dataset = "none"
loss = "cross_entropy"
init = "normal"
batch = 3
layers = [
  { name = "a.b", type = "embedding", kind = "token", entries = 9, width = 4, padding_index = 2, from = "second.tokens" },
  { name = "lstm", type = "lstm", hidden = 3, biases = 1, recurrent_activation = "hard_sigmoid", forget_bias = 1.0 },
  { name = "last", type = "select_last" },
  { name = "flat", type = "flatten", from = "image" },
  { name = "fc", type = "linear", out = 3, bias = false },
  { name = "sum", type = "add", from = ["last", "fc"] },
]
[inputs]
"second.tokens" = { shape = [5], entries = 7 }
image = { shape = [2, 3, 3] }
[optimizer]
type = "adam"
rate = 1e-3
beta1 = 0.5
beta2 = 0.75
epsilon = 1.0
epsilon_form = "hat"
weight_decay = { value = 0.1, form = "decoupled", applies_to = "weights" }
)",
                                 "odd",
                                 Geometry::kFull);
  ASSERT_THAT(model, is_ok());
  const auto again = parse_model(model_toml(*model), "written", Geometry::kFull);
  ASSERT_THAT(again, is_ok());
  EXPECT_EQ(canonical_graph(*again), canonical_graph(*model));
}

}  // namespace
}  // namespace crossbind::model
