#include "model/work.h"

#include <functional>
#include <numeric>

#include "model/parameters.h"

namespace crossbind::model {
namespace {

// How many values a checked shape has: their product does not overflow.
int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>{});
}

// Multiply-adds of a layer with this output and so many weights, for one sample.
struct MultiplyAdds {
  const Shape& output;
  int64_t weights;

  int64_t operator()(const Conv2d&) const { return weights * count_of(output) / output.front(); }
  int64_t operator()(const Linear&) const { return weights * count_of(output) / output.back(); }
  int64_t operator()(const Lstm&) const { return in_every_step(); }
  int64_t operator()(const Gru&) const { return in_every_step(); }
  int64_t operator()(const SelfAttention&) const {
    const int64_t scores_and_what_they_weigh = 2 * output.front() * count_of(output);
    return in_every_step() + scores_and_what_they_weigh;
  }
  // Looking up and scaling are no products with a matrix.
  int64_t operator()(const Embedding&) const { return 0; }
  int64_t operator()(const BatchNorm&) const { return 0; }
  int64_t operator()(const LayerNorm&) const { return 0; }
  template <WithoutParameters Layer>
  int64_t operator()(const Layer&) const {
    return 0;
  }

 private:
  [[nodiscard]] int64_t in_every_step() const { return weights * output.front(); }
};

// In the matrices of a node, not in its biases or scales.
int64_t weights_of(const Model& model, const Node& node) {
  int64_t weights = 0;
  for (const size_t index : node.parameters) {
    const Parameter& parameter = model.parameters[index];
    weights += parameter.role == Role::kWeight ? count_of(parameter.shape) : 0;
  }
  return weights;
}

}  // namespace

Work work_of(const Model& model) {
  Work work;
  for (const Node& node : model.nodes) {
    work.multiply_adds +=
        std::visit(MultiplyAdds{node.output, weights_of(model, node)}, node.layer);
    work.values += count_of(node.output);
  }
  return work;
}

}  // namespace crossbind::model
