#include "model/work.h"

#include <functional>
#include <numeric>
#include <type_traits>

namespace crossbind::model {
namespace {

// Of a checked shape.
int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>{});
}

// How often a layer goes through its weights for one sample.
int64_t passes(const Node& node) {
  const Shape& output = node.output;
  return std::visit(
      [&](const auto& layer) -> int64_t {
        using T = std::decay_t<decltype(layer)>;
        if constexpr (std::is_same_v<T, Conv2d>) {
          return count_of(output) / output.front();
        } else if constexpr (std::is_same_v<T, Linear>) {
          return count_of(output) / output.back();
        } else if constexpr (std::is_same_v<T, Lstm> || std::is_same_v<T, Gru> ||
                             std::is_same_v<T, SelfAttention>) {
          return output.front();  // steps of the sequence
        } else {
          return 0;
        }
      },
      node.layer);
}

}  // namespace

Work work_of(const Model& model) {
  Work work;
  for (const Node& node : model.nodes) {
    for (const size_t index : node.parameters) {
      const Parameter& parameter = model.parameters[index];
      if (parameter.role == Role::kWeight) {
        work.multiply_adds += count_of(parameter.shape) * passes(node);
      }
    }
    if (std::holds_alternative<SelfAttention>(node.layer)) {  // scores, and what they weigh
      work.multiply_adds += 2 * node.output.front() * count_of(node.output);
    }
    work.values += count_of(node.output);
  }
  return work;
}

}  // namespace crossbind::model
