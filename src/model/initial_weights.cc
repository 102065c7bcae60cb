#include "model/initial_weights.h"

#include <algorithm>
#include <numeric>

#include "tensor/philox.h"

namespace crossbind::model {
namespace {

// Computed in double and rounded once.
void draw(const InitialValues& initial, tensor::PhiloxStream& stream, std::vector<float>& values) {
  switch (initial.distribution) {
    case Distribution::kZeros:
      std::ranges::fill(values, 0.0F);
      return;
    case Distribution::kOnes:
      std::ranges::fill(values, 1.0F);
      return;
    case Distribution::kUniform:
      for (auto& value : values) {
        value = static_cast<float>((2 * stream.uniform() - 1) * initial.amount);
      }
      return;
    case Distribution::kNormal:
      for (auto& value : values) {
        value = static_cast<float>(stream.normal() * initial.amount);
      }
      return;
  }
}

tensor::Tensor draw_parameter(const Model& model, size_t index, uint32_t seed) {
  const Parameter& parameter = model.parameters[index];
  tensor::PhiloxStream stream(seed, tensor::Purpose::kWeights, static_cast<uint32_t>(index));
  const auto rows = static_cast<size_t>(parameter.shape[0]);
  size_t row_size = 1;
  for (size_t i = 1; i < parameter.shape.size(); ++i) {
    row_size *= static_cast<size_t>(parameter.shape[i]);
  }
  std::vector<float> values(rows * row_size);
  draw(parameter.initial, stream, values);
  const auto row = [&](int64_t i) { return values.begin() + i * static_cast<int64_t>(row_size); };
  std::fill(row(parameter.initial.forget_begin),
            row(parameter.initial.forget_end),
            static_cast<float>(parameter.initial.forget_value));
  return {parameter.shape, values};
}

}  // namespace

tensor::TensorMap initial_weights(const Model& model, uint32_t seed) {
  tensor::TensorMap weights;
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    weights.emplace(model.parameters[i].name, draw_parameter(model, i, seed));
  }
  return weights;
}

Status save_initial_weights(const std::filesystem::path& path,
                            const Model& model,
                            uint32_t seed,
                            const tensor::Metadata& metadata) {
  std::vector<size_t> by_name(model.parameters.size());
  std::iota(by_name.begin(), by_name.end(), size_t{0});
  std::ranges::sort(by_name, {}, [&](size_t i) { return model.parameters[i].name; });
  std::vector<tensor::SafetensorsWriter::Entry> entries;
  entries.reserve(by_name.size());
  for (const size_t i : by_name) {
    entries.push_back({model.parameters[i].name, tensor::DType::kF32, model.parameters[i].shape});
  }
  CB_ASSIGN(auto writer, tensor::SafetensorsWriter::create(path, entries, metadata));
  for (const size_t i : by_name) {
    CB_TRY(writer.append(draw_parameter(model, i, seed).view().bytes));
  }
  return writer.finish();
}

}  // namespace crossbind::model
