#include "batch.h"

#include <algorithm>

namespace crossbind::worker {

using referee::Array;
using referee::Targets;

Result<Array<double>> as_array(const tensor::TensorView& view) {
  Array<double> array(view.shape);
  if (view.dtype == tensor::DType::kI64) {
    CB_ASSIGN(const auto values, view.as<int64_t>());
    std::ranges::copy(values, array.values.begin());
  } else {
    CB_ASSIGN(const auto values, view.as<float>());
    std::ranges::copy(values, array.values.begin());
  }
  return array;
}

Result<std::vector<Array<double>>> inputs_of(const Samples& batch) {
  std::vector<Array<double>> inputs;
  for (const tensor::TensorView& view : batch.inputs) {
    CB_ASSIGN(auto array, as_array(view));
    inputs.push_back(std::move(array));
  }
  return inputs;
}

Result<Targets> targets_of(const Samples& batch) {
  Targets targets;
  for (size_t i = 0; i < batch.targets.size(); ++i) {
    CB_ASSIGN(const auto values, batch.targets[i].as<int64_t>());
    (i == 0 ? targets.labels : targets.ends).assign(values.begin(), values.end());
  }
  return targets;
}

}  // namespace crossbind::worker
