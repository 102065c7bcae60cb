// A trial's identity hashes the canonical graph: its bytes must not change by accident. The golden
// file has the graph's digest for every ready model at both geometries; CROSSBIND_WRITE_GOLDEN=1
// writes it anew, which is right for a new model and wrong for any other reason.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "model/graph_json.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using testing::is_ok;

std::string digest_of(const std::string& text) {
  return sha256_hex(std::as_bytes(std::span(text)));
}

std::string digests_of_ready_graphs() {
  std::string lines;
  const auto files = list_models(testing::source_path("models"));
  EXPECT_THAT(files, is_ok());
  for (const auto& file : *files) {
    for (const auto geometry : {Geometry::kFull, Geometry::kConform}) {
      const auto model = load_model(file, geometry);
      EXPECT_THAT(model, is_ok());
      lines += fmt::format("{} {} {}\n",
                           file.stem().string(),
                           geometry == Geometry::kFull ? "full" : "conform",
                           digest_of(canonical_graph(*model).dump()));
    }
  }
  return lines;
}

// Fields and forms that no ready model has.
constexpr std::string_view kOddModel = R"(
id = "odd"
title = "What no ready model has"
dataset = "none"
loss = "binary_cross_entropy"
init = "normal"
batch = 3
layers = [
  { name = "pad", type = "pad", pads = [1, 2, 3, 4], value = -0.5, from = "image" },
  { name = "average", type = "avg_pool2d", kernel = [2, 3], stride = [1, 2], pads = [1, 0, 0, 1], count_padding = true },
  { name = "flat", type = "flatten" },
  { name = "square", type = "linear", out = 6, bias = false },
  { name = "sigmoid", type = "sigmoid" },
  { name = "softmax", type = "softmax" },
  { name = "norm", type = "batchnorm", epsilon = 1e-3, momentum = 0.25, running_variance = "biased" },
  { name = "token", type = "embedding", kind = "token", entries = 9, width = 4, padding_index = 2, from = "tokens" },
  { name = "attention", type = "self_attention", heads = 2 },
  { name = "gru", type = "gru", hidden = 5, biases = 2, reset_after = true, recurrent_activation = "hard_sigmoid" },
  { name = "lstm", type = "lstm", hidden = 6, biases = 2, recurrent_activation = "hard_sigmoid", forget_bias = 1.0 },
  { name = "last", type = "select_last" },
  { name = "sum", type = "add", from = ["last", "norm"] },
  { name = "out", type = "linear", out = 1, bias = true },
]
[inputs]
image = { shape = [2, 5, 5] }
tokens = { shape = [5], entries = 7 }
[optimizer]
type = "adam"
rate = 1e-3
beta1 = 0.5
beta2 = 0.75
epsilon = 1.0
epsilon_form = "hat"
weight_decay = { value = 0.1, form = "decoupled", applies_to = "weights" }
)";

TEST(GraphIdentity, OfReadyModelsIsTheGoldenList) {
  const auto path = testing::source_path("src/model/testdata/ready_graphs.sha256");
  const std::string digests = digests_of_ready_graphs();
  if (std::getenv("CROSSBIND_WRITE_GOLDEN") != nullptr) {
    ASSERT_THAT(write_file(path, digests), is_ok());
  }
  const auto golden = read_file(path);
  ASSERT_THAT(golden, is_ok());
  EXPECT_EQ(digests, *golden);
}

TEST(GraphIdentity, OfFieldsThatNoReadyModelHasIsKept) {
  const auto model = parse_model(kOddModel, "odd", Geometry::kFull);
  ASSERT_THAT(model, is_ok());
  EXPECT_EQ(digest_of(canonical_graph(*model).dump()),
            "9a22b74ee1308050fd6f68c82771c69e511ab091e6fda2c1f6732594f36acb35");
}

}  // namespace
}  // namespace crossbind::model
