#include "model/layer_reader.h"

namespace crossbind::model {
namespace {

Pair read_pair(config::TableReader& table, std::string_view key) {
  const auto values = table.integers(key, 2, 1, "an integer of at least 1, or [height, width]");
  return {values[0], values[1]};
}

Pads read_four_pads(config::TableReader& table, std::string_view words) {
  const auto values = table.integers("pads", 4, 0, words);
  return {values[0], values[1], values[2], values[3]};
}

// Window keys of convolutions and pools; pads may also be "same" or "valid".
template <typename Window>
void read_window(config::TableReader& table, Window& window, LayerSpec& spec) {
  window.kernel = read_pair(table, "kernel");
  window.stride = read_pair(table, "stride");
  const auto word = table.optional_text("pads");
  spec.same_pads = word == "same";
  if (word != "same" && word != "valid") {
    window.pads = read_four_pads(
        table, R"(an integer of at least 0, [top, left, bottom, right], "valid" or "same")");
  }
}

void read_init(config::TableReader& table, LayerSpec& spec) {
  if (table.has("init")) {
    spec.init = table.choice<InitRule>("init", kInitRules);
  }
}

int read_biases(config::TableReader& table) {
  const int64_t biases = table.integer("biases", 1);
  if (biases > 2) {
    table.complain("biases", "1 or 2");
  }
  return biases == 1 ? 1 : 2;
}

LayerSpec read_conv2d(config::TableReader& table) {
  LayerSpec spec;
  Conv2d conv;
  conv.out_channels = table.integer("out", 1);
  read_window(table, conv, spec);
  conv.bias = table.boolean("bias");
  read_init(table, spec);
  spec.layer = conv;
  return spec;
}

LayerSpec read_max_pool2d(config::TableReader& table) {
  LayerSpec spec;
  MaxPool2d pool;
  read_window(table, pool, spec);
  spec.layer = pool;
  return spec;
}

LayerSpec read_avg_pool2d(config::TableReader& table) {
  LayerSpec spec;
  AvgPool2d pool;
  read_window(table, pool, spec);
  pool.count_padding = table.boolean("count_padding");
  spec.layer = pool;
  return spec;
}

LayerSpec read_linear(config::TableReader& table) {
  LayerSpec spec;
  spec.layer = Linear{.out_features = table.integer("out", 1), .bias = table.boolean("bias")};
  read_init(table, spec);
  return spec;
}

LayerSpec read_batchnorm(config::TableReader& table) {
  return {.layer = BatchNorm{.epsilon = table.number("epsilon", config::kPositive),
                             .momentum = table.number("momentum", config::kUpToOne),
                             .running_variance = table.choice<RunningVariance>("running_variance",
                                                                               kRunningVariances)}};
}

LayerSpec read_layernorm(config::TableReader& table) {
  return {.layer = LayerNorm{.epsilon = table.number("epsilon", config::kPositive)}};
}

LayerSpec read_dropout(config::TableReader& table) {
  return {.layer = Dropout{.rate = table.number("rate", config::kBelowOne)}};
}

LayerSpec read_embedding(config::TableReader& table) {
  LayerSpec spec;
  Embedding embedding{.kind = table.choice<EmbeddingKind>("kind", kEmbeddingKinds),
                      .entries = table.integer("entries", 1),
                      .width = table.integer("width", 1),
                      .padding_index = std::nullopt};
  if (table.has("padding_index")) {
    embedding.padding_index = table.integer("padding_index", 0);
    if (*embedding.padding_index >= embedding.entries) {
      table.complain("padding_index", "a row of the table, below 'entries'");
    }
  }
  read_init(table, spec);
  spec.layer = embedding;
  return spec;
}

LayerSpec read_lstm(config::TableReader& table) {
  LayerSpec spec;
  spec.layer = Lstm{.hidden = table.integer("hidden", 1),
                    .biases = read_biases(table),
                    .recurrent_activation = table.choice<RecurrentActivation>(
                        "recurrent_activation", kRecurrentActivations)};
  read_init(table, spec);
  if (table.has("forget_bias")) {
    spec.forget_bias = table.number("forget_bias", config::kFinite);
  }
  return spec;
}

LayerSpec read_gru(config::TableReader& table) {
  LayerSpec spec;
  spec.layer = Gru{.hidden = table.integer("hidden", 1),
                   .biases = read_biases(table),
                   .reset_after = table.boolean("reset_after"),
                   .recurrent_activation = table.choice<RecurrentActivation>(
                       "recurrent_activation", kRecurrentActivations)};
  read_init(table, spec);
  return spec;
}

LayerSpec read_pad(config::TableReader& table) {
  return {.layer = Pad{.pads = read_four_pads(
                           table, "an integer of at least 0, or [top, left, bottom, right]"),
                       .value = table.number("value", config::kFinite)}};
}

LayerSpec read_self_attention(config::TableReader& table) {
  LayerSpec spec;
  spec.layer = SelfAttention{.heads = table.integer("heads", 1)};
  read_init(table, spec);
  return spec;
}

template <typename Plain>
LayerSpec read_plain(config::TableReader&) {
  return {.layer = Plain{}};
}

using Reader = LayerSpec (*)(config::TableReader&);

constexpr std::array kReaders = {
    Named<Reader>{"conv2d", read_conv2d},
    Named<Reader>{"max_pool2d", read_max_pool2d},
    Named<Reader>{"avg_pool2d", read_avg_pool2d},
    Named<Reader>{"global_avg_pool", read_plain<GlobalAvgPool>},
    Named<Reader>{"linear", read_linear},
    Named<Reader>{"flatten", read_plain<Flatten>},
    Named<Reader>{"tanh", read_plain<Tanh>},
    Named<Reader>{"relu", read_plain<Relu>},
    Named<Reader>{"sigmoid", read_plain<Sigmoid>},
    Named<Reader>{"gelu", read_plain<Gelu>},
    Named<Reader>{"softmax", read_plain<Softmax>},
    Named<Reader>{"batchnorm", read_batchnorm},
    Named<Reader>{"layernorm", read_layernorm},
    Named<Reader>{"dropout", read_dropout},
    Named<Reader>{"embedding", read_embedding},
    Named<Reader>{"lstm", read_lstm},
    Named<Reader>{"gru", read_gru},
    Named<Reader>{"pad", read_pad},
    Named<Reader>{"add", read_plain<Add>},
    Named<Reader>{"self_attention", read_self_attention},
    Named<Reader>{"select_last", read_plain<SelectLast>},
};
static_assert(kReaders.size() == std::variant_size_v<Layer>);

}  // namespace

std::string_view type_name(const Layer& layer) {
  return kReaders[layer.index()].name;  // in the order of the variant, asserted by a test
}

LayerSpec read_layer(config::TableReader& table) {
  const Reader read = table.choice<Reader>("type", kReaders);
  if (table.failed()) {
    table.accept_rest();
    return {};
  }
  return read(table);
}

}  // namespace crossbind::model
