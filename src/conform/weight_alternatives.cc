#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conform/alternatives.h"

namespace crossbind::conform {
namespace {

using model::Parameter;
using tensor::Shape;

// Without the name of its layer.
std::string short_name(const Premise& premise, const Parameter& parameter) {
  return parameter.name.substr(premise.model.nodes.front().name.size() + 1);
}

bool is_bias(const Parameter& parameter) {
  return parameter.role == model::Role::kBias || parameter.role == model::Role::kShift;
}

std::vector<std::string> names_of(const Premise& premise, bool (*wanted)(const Parameter&)) {
  std::vector<std::string> names;
  for (const auto& parameter : premise.model.parameters) {
    if (wanted(parameter)) {
      names.push_back(parameter.name);
    }
  }
  return names;
}

// An order of axes with its words.
struct Layout {
  std::vector<size_t> axes;
  std::string_view words;
};

Shape reordered(const Shape& shape, const std::vector<size_t>& axes) {
  Shape result;
  result.reserve(axes.size());
  for (const size_t axis : axes) {
    result.push_back(shape[axis]);
  }
  return result;
}

// The elements with their axes in another order: number k of the result is axes[k] of the shape.
void permute(std::span<float> values, const Shape& shape, const std::vector<size_t>& axes) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i-- > 0;) {
    strides[i] = strides[i + 1] * shape[i + 1];
  }
  const std::vector<float> old(values.begin(), values.end());
  const Shape target = reordered(shape, axes);
  std::vector<int64_t> index(shape.size());
  for (float& value : values) {
    int64_t from = 0;
    for (size_t k = 0; k < axes.size(); ++k) {
      from += index[k] * strides[axes[k]];
    }
    value = old[static_cast<size_t>(from)];
    for (size_t k = axes.size(); k-- > 0 && ++index[k] == target[k];) {
      index[k] = 0;
    }
  }
}

std::vector<size_t> inverse(const std::vector<size_t>& axes) {
  std::vector<size_t> result(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    result[axes[k]] = k;
  }
  return result;
}

// The numbers of a weight in that layout, taken for canonical ones; or the other way round.
void mistake(tensor::Tensor& weight, const std::vector<size_t>& axes, bool for_canonical) {
  const Shape shape = weight.shape();
  rewrite(weight, [&](std::span<float> values) {
    if (for_canonical) {
      permute(values, shape, axes);
    } else {
      permute(values, reordered(shape, axes), inverse(axes));
    }
  });
}

// Kernels turned by 180 degrees: what a convolution in the sense of mathematics does.
void turn_kernels(tensor::Tensor& weight) {
  const auto window = static_cast<size_t>(weight.shape()[2] * weight.shape()[3]);
  rewrite(weight, [window](std::span<float> values) {
    for (size_t begin = 0; begin < values.size(); begin += window) {
      std::ranges::reverse(values.subspan(begin, window));
    }
  });
}

void add_layouts(const std::vector<std::string>& weights,
                 const std::string& subject,
                 std::string_view canonical,
                 const std::vector<Layout>& layouts,
                 Alternatives& found) {
  for (const auto& [axes, words] : layouts) {
    for (const bool for_canonical : {true, false}) {
      found.push_back({fmt::format("{} {} read as {}",
                                   subject,
                                   for_canonical ? words : canonical,
                                   for_canonical ? canonical : words),
                       [weights, axes = axes, for_canonical](Premise& changed) {
                         for (const auto& weight : weights) {
                           mistake(changed.step.state.at(weight), axes, for_canonical);
                         }
                       }});
    }
  }
}

bool is_matrix(const Parameter& parameter) {
  return parameter.role == model::Role::kWeight && parameter.shape.size() == 2;
}

}  // namespace

Alternatives missing_biases(const Premise& premise, const Scene& /*scene*/) {
  Alternatives found;
  const auto add = [&](const std::vector<std::string>& names, const std::string& subject) {
    for (const auto& [factor, words] : {std::pair{0.0, "missing"}, std::pair{2.0, "added twice"}}) {
      found.push_back(
          {fmt::format("{} {}", subject, words), [names, factor = factor](Premise& changed) {
             for (const auto& name : names) {
               scale(changed.step.state.at(name), factor);
             }
           }});
    }
  };
  for (const auto& parameter : premise.model.parameters) {
    if (is_bias(parameter)) {
      add({parameter.name}, short_name(premise, parameter));
    }
  }
  if (const auto all = names_of(premise, is_bias); all.size() > 1) {
    add(all, "all biases");
  }
  return found;
}

Alternatives weight_layouts(const Premise& premise, const Scene& /*scene*/) {
  if (std::holds_alternative<model::Embedding>(premise.layer())) {
    return {};
  }
  Alternatives found;
  const std::vector<Layout> matrix = {{{1, 0}, "[in, out]"}};
  for (const auto& parameter : premise.model.parameters) {
    const std::string subject = short_name(premise, parameter);
    if (is_matrix(parameter)) {
      add_layouts({parameter.name}, subject, "[out, in]", matrix, found);
    }
    if (parameter.shape.size() == 4) {
      add_layouts({parameter.name},
                  subject,
                  "[out, in, height, width]",
                  {{{0, 2, 3, 1}, "[out, height, width, in]"},
                   {{2, 3, 1, 0}, "[height, width, in, out]"},
                   {{1, 0, 2, 3}, "[in, out, height, width]"},
                   {{0, 1, 3, 2}, "[out, in, width, height]"}},
                  found);
      found.push_back({"kernels turned by 180 degrees", [name = parameter.name](Premise& changed) {
                         turn_kernels(changed.step.state.at(name));
                       }});
    }
  }
  if (const auto all = names_of(premise, is_matrix); all.size() > 1) {
    add_layouts(all, "weights", "[out, in]", matrix, found);
  }
  return found;
}

Alternatives stale_parameters(const Premise& premise, const Scene& scene) {
  if (scene.before == nullptr || premise.model.parameters.empty()) {
    return {};
  }
  return {{"computed with the parameters of the step before",
           [&before = scene.before->state](Premise& changed) {
             for (auto& [name, tensor] : changed.step.state) {
               if (const auto found = before.find(name); found != before.end()) {
                 tensor = found->second;
               }
             }
           }}};
}

}  // namespace crossbind::conform
