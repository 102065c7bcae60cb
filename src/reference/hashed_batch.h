// Parameters and batches from a hash so small that testdata/make_pytorch_fixtures.py computes the
// same: both sides of a comparison start from equal float64 numbers and no file has to hold them.
#pragma once

#include <cmath>
#include <vector>

#include "model/model.h"
#include "reference/array.h"
#include "reference/loss.h"
#include "tensor/tensor.h"

namespace crossbind::reference {

// The numbers of hashed tensors: parameters from 0; the inputs of batch b from 1000 + 100 b, its
// labels and ends 50 and 51 later; the vector that summaries project on.
inline constexpr uint32_t kFirstInput = 1000;
inline constexpr uint32_t kBatchStride = 100;
inline constexpr uint32_t kLabels = 50;
inline constexpr uint32_t kEnds = 51;
inline constexpr uint32_t kProjection = 5000;

// Element i of a tensor, in [0, 1), exact in float32 too.
[[nodiscard]] inline double hashed(uint32_t tensor, int64_t i) {
  uint32_t x = (static_cast<uint32_t>(i) + 1) * 2654435761U + (tensor + 1) * 40503U;
  x ^= x >> 15;
  x *= 2246822519U;
  x ^= x >> 13;
  return (x >> 8) / 16777216.0;
}

// Weights within 1 / sqrt(fan-in), scales and running variances around 1.
[[nodiscard]] inline tensor::TensorMap hashed_parameters(const model::Model& model) {
  tensor::TensorMap result;
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    const auto& [name, shape, role, unused] = model.parameters[p];
    const bool around_one = role == model::Role::kScale || role == model::Role::kRunningVariance;
    const int64_t count = count_of(shape);
    const int64_t fan_in = shape.size() == 1 ? 16 : count / shape[0];
    const double root = std::sqrt(static_cast<double>(fan_in));
    std::vector<double> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      const double draw = 2 * hashed(static_cast<uint32_t>(p), i) - 1;
      values[static_cast<size_t>(i)] = around_one ? 1 + draw / 4 : draw / root;
    }
    result.emplace(name, tensor::Tensor(shape, values));
  }
  return result;
}

struct HashedBatch {
  std::vector<Array<double>> inputs;
  Targets targets;
};

// Floats in [0, 1); tokens over all entries; a mask keeps the first three quarters.
[[nodiscard]] inline HashedBatch hashed_batch(const model::Model& model, uint32_t number) {
  HashedBatch batch;
  const uint32_t first = kFirstInput + kBatchStride * number;
  for (size_t k = 0; k < model.inputs.size(); ++k) {
    const auto& input = model.inputs[k];
    Shape shape = {model.batch};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    Array<double> values(shape);
    for (int64_t i = 0; i < values.size(); ++i) {
      const double u = hashed(first + static_cast<uint32_t>(k), i);
      if (input.name == "mask") {
        values[i] = i % values.last() < values.last() - values.last() / 4 ? 1 : 0;
      } else {
        values[i] = input.is_integer() ? std::floor(u * static_cast<double>(input.entries)) : u;
      }
    }
    batch.inputs.push_back(std::move(values));
  }
  const bool binary = model.loss == model::Loss::kBinaryCrossEntropy;
  const auto classes = static_cast<double>(binary ? 2 : model.nodes.back().output[0]);
  for (int64_t n = 0; n < model.batch; ++n) {
    batch.targets.labels.push_back(static_cast<int64_t>(hashed(first + kLabels, n) * classes));
    batch.targets.ends.push_back(static_cast<int64_t>(hashed(first + kEnds, n) * classes));
  }
  return batch;
}

}  // namespace crossbind::reference
