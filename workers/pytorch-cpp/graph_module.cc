#include "graph_module.h"

#include <torch/nn.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace crossbind::worker {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// libtorch's convolutions pad evenly; its pools do so too, and at most half a window.
bool is_symmetric(const model::Pads& pads) {
  return pads.top == pads.bottom && pads.left == pads.right;
}

Tensor pad(const Tensor& x, const model::Pads& pads, double value) {
  return F::pad(x, F::PadFuncOptions({pads.left, pads.right, pads.top, pads.bottom}).value(value));
}

bool fits(const model::Pads& pads, const model::Pair& window) {
  return is_symmetric(pads) && 2 * pads.top <= window.height && 2 * pads.left <= window.width;
}

// What the module cannot pad itself is padded before it.
template <typename Module>
auto padded(Module module, bool pads_itself, const model::Pads& pads, double value) {
  return [module, pads_itself, pads, value](const std::vector<Tensor>& x) mutable {
    return module(pads_itself ? x[0] : pad(x[0], pads, value));
  };
}

torch::ExpandingArray<2> sides(bool pads_itself, const model::Pads& pads) {
  return pads_itself ? torch::ExpandingArray<2>({pads.top, pads.left})
                     : torch::ExpandingArray<2>(0);
}

template <typename Function>
auto pointwise(Function function) {
  return [function](const std::vector<Tensor>& x) { return function(x[0]); };
}

}  // namespace

// Makes the layer of one node, registers its module and lists its tensors.
struct LayerBuilder {
  GraphModuleImpl& graph;
  const model::Node& node;

  template <typename Module>
  Module add(Module module, const std::string& part = "") {
    std::string name = node.name + part;  // torch allows no dots in names, models no slashes
    std::ranges::replace(name, '.', '/');
    return graph.register_module(name, module);
  }
  void list(const std::string& suffix, model::Role role, const Tensor& tensor) {
    graph.tensors_.push_back({node.name + "." + suffix, role, tensor});
  }
  template <typename Module>
  void list_affine(const Module& module, bool has_bias, const std::string& part = "") {
    list(part + "weight", model::Role::kWeight, module->weight);
    if (has_bias) {
      list(part + "bias", model::Role::kBias, module->bias);
    }
  }
  template <typename Module>
  void list_norm(const Module& module) {
    list("weight", model::Role::kScale, module->weight);
    list("bias", model::Role::kShift, module->bias);
  }

  GraphModuleImpl::Layer operator()(const model::Conv2d& conv) {
    const bool pads_itself = is_symmetric(conv.pads);
    auto module = add(
        nn::Conv2d(nn::Conv2dOptions(
                       conv.in_channels, conv.out_channels, {conv.kernel.height, conv.kernel.width})
                       .stride({conv.stride.height, conv.stride.width})
                       .padding(sides(pads_itself, conv.pads))
                       .bias(conv.bias)));
    list_affine(module, conv.bias);
    return padded(module, pads_itself, conv.pads, 0);
  }
  GraphModuleImpl::Layer operator()(const model::MaxPool2d& pool) {
    const bool pads_itself = fits(pool.pads, pool.kernel);
    auto module = add(nn::MaxPool2d(nn::MaxPool2dOptions({pool.kernel.height, pool.kernel.width})
                                        .stride({pool.stride.height, pool.stride.width})
                                        .padding(sides(pads_itself, pool.pads))));
    return padded(module, pads_itself, pool.pads, kMinusInfinity);
  }
  GraphModuleImpl::Layer operator()(const model::AvgPool2d& pool) {
    const bool pads_itself = fits(pool.pads, pool.kernel);
    auto module = add(nn::AvgPool2d(nn::AvgPool2dOptions({pool.kernel.height, pool.kernel.width})
                                        .stride({pool.stride.height, pool.stride.width})
                                        .padding(sides(pads_itself, pool.pads))
                                        .count_include_pad(pool.count_padding)));
    if (pads_itself || pool.count_padding) {
      return padded(module, pads_itself, pool.pads, 0);
    }
    return [module, pads = pool.pads](const std::vector<Tensor>& x) mutable {
      return module(pad(x[0], pads, 0)) / module(pad(torch::ones_like(x[0]), pads, 0));
    };
  }
  GraphModuleImpl::Layer operator()(const model::GlobalAvgPool&) {
    return pointwise([](const Tensor& x) { return x.mean({2, 3}); });
  }
  GraphModuleImpl::Layer operator()(const model::Linear& linear) {
    auto module = add(
        nn::Linear(nn::LinearOptions(linear.in_features, linear.out_features).bias(linear.bias)));
    list_affine(module, linear.bias);
    return [module](const std::vector<Tensor>& x) mutable { return module(x[0]); };
  }
  GraphModuleImpl::Layer operator()(const model::Flatten&) {
    return pointwise([](const Tensor& x) { return x.flatten(1); });
  }
  GraphModuleImpl::Layer operator()(const model::Tanh&) {
    return pointwise([](const Tensor& x) { return torch::tanh(x); });
  }
  GraphModuleImpl::Layer operator()(const model::Relu&) {
    return pointwise([](const Tensor& x) { return torch::relu(x); });
  }
  GraphModuleImpl::Layer operator()(const model::Sigmoid&) {
    return pointwise([](const Tensor& x) { return torch::sigmoid(x); });
  }
  GraphModuleImpl::Layer operator()(const model::Gelu&) {
    return pointwise([](const Tensor& x) { return torch::gelu(x); });
  }
  GraphModuleImpl::Layer operator()(const model::Softmax&) {
    return pointwise([](const Tensor& x) { return torch::softmax(x, -1); });
  }
  GraphModuleImpl::Layer operator()(const model::BatchNorm& norm) {
    const auto options =
        nn::BatchNormOptions(norm.features).eps(norm.epsilon).momentum(norm.momentum);
    const auto finish = [&](auto module) -> GraphModuleImpl::Layer {
      list_norm(module);
      list("running_mean", model::Role::kRunningMean, module->running_mean);
      list("running_var", model::Role::kRunningVariance, module->running_var);
      return [module](const std::vector<Tensor>& x) mutable { return module(x[0]); };
    };
    return node.output.size() == 3 ? finish(add(nn::BatchNorm2d(options)))
                                   : finish(add(nn::BatchNorm1d(options)));
  }
  GraphModuleImpl::Layer operator()(const model::LayerNorm& norm) {
    auto module = add(nn::LayerNorm(nn::LayerNormOptions({norm.features}).eps(norm.epsilon)));
    list_norm(module);
    return [module](const std::vector<Tensor>& x) mutable { return module(x[0]); };
  }
  GraphModuleImpl::Layer operator()(const model::Dropout& dropout) {
    auto module = add(nn::Dropout(dropout.rate));
    return [module](const std::vector<Tensor>& x) mutable { return module(x[0]); };
  }
  GraphModuleImpl::Layer operator()(const model::Embedding& embedding) {
    auto options = nn::EmbeddingOptions(embedding.entries, embedding.width);
    if (embedding.padding_index) {
      options.padding_idx(*embedding.padding_index);
    }
    auto module = add(nn::Embedding(options));
    list("weight", model::Role::kWeight, module->weight);
    if (embedding.kind == model::EmbeddingKind::kPosition) {
      return [module](const std::vector<Tensor>& x) mutable {
        const auto steps =
            torch::arange(x[0].size(1), torch::device(x[0].device()).dtype(torch::kLong));
        return module(steps.expand_as(x[0]));
      };
    }
    return [module](const std::vector<Tensor>& x) mutable { return module(x[0]); };
  }
  GraphModuleImpl::Layer operator()(const model::Lstm& lstm) {
    return recurrent(
        add(nn::LSTM(nn::LSTMOptions(lstm.in_features, lstm.hidden).batch_first(true))),
        lstm.biases);
  }
  GraphModuleImpl::Layer operator()(const model::Gru& gru) {
    return recurrent(add(nn::GRU(nn::GRUOptions(gru.in_features, gru.hidden).batch_first(true))),
                     gru.biases);
  }
  // libtorch has two biases or none: of one-bias layers the second is zero and stays so.
  template <typename Module>
  GraphModuleImpl::Layer recurrent(Module module, int biases) {
    auto parameters = module->named_parameters();
    list("weight_ih", model::Role::kWeight, parameters["weight_ih_l0"]);
    list("weight_hh", model::Role::kWeight, parameters["weight_hh_l0"]);
    list("bias_ih", model::Role::kBias, parameters["bias_ih_l0"]);
    if (biases == 2) {
      list("bias_hh", model::Role::kBias, parameters["bias_hh_l0"]);
    } else {
      const torch::NoGradGuard no_grad;
      parameters["bias_hh_l0"].zero_();
      parameters["bias_hh_l0"].requires_grad_(false);
    }
    return [module](const std::vector<Tensor>& x) mutable { return std::get<0>(module(x[0])); };
  }
  GraphModuleImpl::Layer operator()(const model::Pad& layer) {
    return [layer](const std::vector<Tensor>& x) { return pad(x[0], layer.pads, layer.value); };
  }
  GraphModuleImpl::Layer operator()(const model::Add&) {
    return [](const std::vector<Tensor>& x) { return x[0] + x[1]; };
  }
  GraphModuleImpl::Layer operator()(const model::SelfAttention& attention) {
    const auto project = [&](const std::string& part) {
      auto module = add(nn::Linear(attention.width, attention.width), "." + part);
      list_affine(module, true, part + ".");
      return module;
    };
    return [query = project("query"),
            key = project("key"),
            value = project("value"),
            output = project("output"),
            heads = attention.heads](const std::vector<Tensor>& x) mutable {
      const auto split = [&](const Tensor& t) {
        return t.reshape({t.size(0), t.size(1), heads, -1}).transpose(1, 2);
      };
      std::optional<Tensor> mask;
      if (x.size() > 1) {
        mask = x[1].unsqueeze(1).unsqueeze(1).ne(0);
      }
      const Tensor mixed = torch::scaled_dot_product_attention(
          split(query(x[0])), split(key(x[0])), split(value(x[0])), mask);
      return output(mixed.transpose(1, 2).flatten(2));
    };
  }
  GraphModuleImpl::Layer operator()(const model::SelectLast&) {
    return pointwise([](const Tensor& x) { return x.select(1, -1); });
  }
};

GraphModuleImpl::GraphModuleImpl(const model::Model& model) : model_(model) {
  for (const model::Node& node : model.nodes) {
    layers_.push_back(std::visit(LayerBuilder{*this, node}, node.layer));
  }
}

std::vector<Tensor> GraphModuleImpl::forward_all(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < layers_.size(); ++i) {
    std::vector<Tensor> sources;
    for (const model::Source& source : model_.nodes[i].inputs) {
      sources.push_back(source.is_input ? inputs[source.index] : outputs[source.index]);
    }
    outputs.push_back(layers_[i](sources));
  }
  return outputs;
}

Tensor GraphModuleImpl::forward(const std::vector<Tensor>& inputs) {
  return forward_all(inputs).back();
}

}  // namespace crossbind::worker
