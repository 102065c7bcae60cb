#include "model/layer_reader.h"

#include "model/features.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

// What every layer could need; a reader takes its own keys.
constexpr std::string_view kEveryKey = R"(
out = 4
kernel = 3
stride = 1
pads = 0
bias = true
count_padding = false
epsilon = 1e-5
momentum = 0.1
running_variance = "biased"
rate = 0.5
kind = "token"
entries = 9
width = 4
hidden = 5
biases = 1
recurrent_activation = "sigmoid"
reset_after = true
value = 0
heads = 2
)";

TEST(LayerReader, ReadsEveryTypeUnderTheNameItHasInTheGraph) {
  const auto names = all_layer_types();
  for (size_t i = 0; i < names.size(); ++i) {
    SCOPED_TRACE(names[i]);
    const auto table = toml::parse(fmt::format("type = \"{}\"\n{}", names[i], kEveryKey));
    const config::Document document = {"mine.toml", {}};
    config::TableReader reader(table, "", document);
    EXPECT_EQ(read_layer(reader).layer.index(), i);
    EXPECT_FALSE(reader.failed());
  }
}

TEST(LayerReader, NamesTypesAsModelFilesDo) {
  EXPECT_EQ(type_name(Conv2d{}), "conv2d");
  EXPECT_EQ(type_name(AvgPool2d{}), "avg_pool2d");
  EXPECT_EQ(type_name(GlobalAvgPool{}), "global_avg_pool");
  EXPECT_EQ(type_name(Embedding{}), "embedding");
  EXPECT_EQ(type_name(SelfAttention{}), "self_attention");
  EXPECT_EQ(type_name(SelectLast{}), "select_last");
}

}  // namespace
}  // namespace crossbind::model
