// Between the canonical layout and TensorFlow's, in both directions: images are NHWC here, kernels
// HWIO and [in, out]. What holds for parameters holds for their gradients and moments too. Gates
// stand in the canonical order.
#pragma once

#include <vector>

#include "model/model.h"
#include "native_tensor.h"

namespace crossbind::worker {

// For each axis of the tensor in TensorFlow, which of the canonical one it is.
using Axes = std::vector<size_t>;

// Of a batch of tensors of this rank, with the batch: images change, everything else is the same.
[[nodiscard]] Axes batch_axes(size_t rank);

// In the order of the model's parameters.
[[nodiscard]] std::vector<Axes> parameter_axes(const model::Model& model);

[[nodiscard]] tensor::Shape native_shape(const tensor::Shape& canonical, const Axes& axes);

[[nodiscard]] NativeTensor to_native(const tensor::TensorView& canonical, const Axes& axes);
[[nodiscard]] tensor::Tensor to_canonical(const tensor::TensorView& native, const Axes& axes);

// The same of batches.
[[nodiscard]] NativeTensor batch_to_native(const tensor::TensorView& canonical);
[[nodiscard]] tensor::Tensor batch_to_canonical(const NativeTensor& native);

}  // namespace crossbind::worker
