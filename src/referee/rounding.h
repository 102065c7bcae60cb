// Between what is computed with and the float32 that it is recorded in.
#pragma once

#include <vector>

#include "referee/array.h"
#include "tensor/tensor.h"

namespace crossbind::referee {

template <typename T>
void round_to_float32(Array<T>& array) {
  for (T& value : array.values) {
    value = static_cast<T>(static_cast<float>(value));
  }
}

template <typename T>
[[nodiscard]] tensor::Tensor as_float32(const Array<T>& array) {
  return {array.shape, std::vector<float>(array.values.begin(), array.values.end())};
}

}  // namespace crossbind::referee
