// Batches and parameters for tests of the referee, made of whatever numbers a test draws.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "model/losses.h"
#include "model/model.h"
#include "referee/array.h"
#include "referee/loss.h"
#include "tensor/philox.h"
#include "tensor/tensor.h"
#include "testing/testing.h"

namespace crossbind::referee {

template <typename T>
struct TestBatch {
  std::vector<Array<T>> inputs;
  Targets targets;
};

// The numbers of a batch's tensors: inputs from 0, then these.
inline constexpr uint32_t kLabels = 50;
inline constexpr uint32_t kEnds = 51;

// draw(tensor, element) gives numbers in [0, 1) that float32 holds exactly. Floats are these;
// tokens go over all entries; a mask keeps all but the last quarter.
template <typename T, typename Draw>
[[nodiscard]] TestBatch<T> drawn_batch(const model::Model& model, int64_t size, const Draw& draw) {
  TestBatch<T> batch;
  for (size_t k = 0; k < model.inputs.size(); ++k) {
    const auto& input = model.inputs[k];
    Shape shape = {size};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    Array<T> values(shape);
    for (int64_t i = 0; i < values.size(); ++i) {
      const double u = draw(static_cast<uint32_t>(k), i);
      if (input.name == "mask") {
        values[i] = i % values.last() < values.last() - values.last() / 4 ? T{1} : T{0};
      } else {
        const double token = std::floor(u * static_cast<double>(input.entries));
        values[i] = static_cast<T>(input.is_integer() ? token : u);
      }
    }
    batch.inputs.push_back(std::move(values));
  }
  const auto classes = static_cast<double>(model::class_count(model));
  for (int64_t n = 0; n < size; ++n) {
    batch.targets.labels.push_back(static_cast<int64_t>(draw(kLabels, n) * classes));
    batch.targets.ends.push_back(static_cast<int64_t>(draw(kEnds, n) * classes));
  }
  return batch;
}

// Values away from their special starting points: weights within 1 / sqrt(fan-in), running means
// around 0, scales and running variances around 1.
template <typename Element, typename Draw>
[[nodiscard]] tensor::TensorMap drawn_parameters(const model::Model& model, const Draw& draw) {
  tensor::TensorMap result;
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    const auto& [name, shape, role, unused] = model.parameters[p];
    const bool around_one = role == model::Role::kScale || role == model::Role::kRunningVariance;
    const int64_t count = count_of(shape);
    const int64_t fan_in = shape.size() < 2 ? 16 : count / shape[0];
    const double root = std::sqrt(static_cast<double>(fan_in));
    std::vector<Element> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      const double u = 2 * draw(static_cast<uint32_t>(p), i) - 1;
      values[static_cast<size_t>(i)] = static_cast<Element>(around_one ? 1 + u / 4 : u / root);
    }
    result.emplace(name, tensor::Tensor(shape, values));
  }
  return result;
}

// Random ones, the same on every machine.
template <typename T>
[[nodiscard]] TestBatch<T> make_batch(const model::Model& model, int64_t size, uint32_t seed) {
  return drawn_batch<T>(model, size, [seed](uint32_t tensor, int64_t i) {
    tensor::PhiloxStream stream(seed, tensor::Purpose::kTest, tensor, static_cast<uint32_t>(i));
    return (stream.next() >> 8) * 0x1p-24;
  });
}

[[nodiscard]] inline tensor::TensorMap make_parameters(const model::Model& model, uint32_t seed) {
  return drawn_parameters<float>(model, [seed](uint32_t tensor, int64_t i) {
    tensor::PhiloxStream stream(seed, tensor::Purpose::kWeights, tensor, static_cast<uint32_t>(i));
    return stream.uniform();
  });
}

// A ready model at its [conform] geometry.
[[nodiscard]] inline model::Model conform_model(const std::string& id) {
  return model::find_model(id, testing::source_path("models"), model::Geometry::kConform).value();
}

}  // namespace crossbind::referee
