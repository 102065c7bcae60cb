// Random batches for tests of the referee, the same on every machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/model.h"
#include "reference/array.h"
#include "reference/loss.h"
#include "tensor/philox.h"
#include "tensor/tensor.h"

namespace crossbind::reference {

template <typename T>
struct TestBatch {
  std::vector<Array<T>> inputs;
  Targets targets;
};

// Floats uniform in [0, 1); tokens over all entries; a mask keeps all but the last quarter.
template <typename T>
[[nodiscard]] TestBatch<T> make_batch(const model::Model& model, int64_t size, uint32_t seed) {
  TestBatch<T> batch;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const auto& input = model.inputs[i];
    tensor::PhiloxStream stream(seed, tensor::Purpose::kTest, static_cast<uint32_t>(i));
    Shape shape = {size};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    Array<T> values(shape);
    for (int64_t k = 0; k < values.size(); ++k) {
      if (input.name == "mask") {
        values[k] = k % values.last() < values.last() - values.last() / 4 ? T{1} : T{0};
      } else if (input.is_integer()) {
        values[k] = static_cast<T>(stream.below(static_cast<uint32_t>(input.entries)));
      } else {
        values[k] = static_cast<T>(static_cast<float>(stream.uniform()));
      }
    }
    batch.inputs.push_back(std::move(values));
  }
  tensor::PhiloxStream stream(seed, tensor::Purpose::kTest, 1000);
  const auto& output = model.nodes.back().output;
  const int64_t classes = model.loss == model::Loss::kBinaryCrossEntropy ? 2 : output[0];
  for (int64_t n = 0; n < size; ++n) {
    batch.targets.labels.push_back(stream.below(static_cast<uint32_t>(classes)));
    batch.targets.ends.push_back(stream.below(static_cast<uint32_t>(classes)));
  }
  return batch;
}

// A ready model at its [conform] geometry.
[[nodiscard]] inline model::Model conform_model(const std::string& id) {
  const auto folder = std::filesystem::path(CROSSBIND_SOURCE_DIR) / "models";
  return model::find_model(id, folder, model::Geometry::kConform).value();
}

// Float32-exact parameter values away from their special starting points: weights uniform by
// fan-in, running means around 0, running variances around 1, scales around 1.
[[nodiscard]] inline tensor::TensorMap make_parameters(const model::Model& model, uint32_t seed) {
  tensor::TensorMap result;
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    const auto& parameter = model.parameters[i];
    tensor::PhiloxStream stream(seed, tensor::Purpose::kWeights, static_cast<uint32_t>(i));
    const int64_t count = count_of(parameter.shape);
    const int64_t fan_in = parameter.shape.size() < 2 ? 16 : count / parameter.shape[0];
    const double spread = 1 / std::sqrt(static_cast<double>(fan_in));
    const bool around_one =
        parameter.role == model::Role::kScale || parameter.role == model::Role::kRunningVariance;
    std::vector<float> values(static_cast<size_t>(count));
    for (auto& value : values) {
      const double draw = (2 * stream.uniform() - 1) * spread;
      value = static_cast<float>(around_one ? 1 + draw : draw);
    }
    result.emplace(parameter.name, tensor::Tensor(parameter.shape, values));
  }
  return result;
}

}  // namespace crossbind::reference
