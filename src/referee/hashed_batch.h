// Parameters and batches from a hash so small that testdata/make_pytorch_fixtures.py computes the
// same: both sides of a comparison start from equal float64 numbers and no file has to hold them.
#pragma once

#include "model/model.h"
#include "referee/test_batch.h"

namespace crossbind::referee {

// The numbers of hashed tensors: parameters from 0; those of batch b from 1000 + 100 b; the vector
// that summaries project on.
inline constexpr uint32_t kFirstInput = 1000;
inline constexpr uint32_t kBatchStride = 100;
inline constexpr uint32_t kProjection = 5000;

// Element i of a tensor, in [0, 1), exact in float32 too.
[[nodiscard]] inline double hashed(uint32_t tensor, int64_t i) {
  uint32_t x = (static_cast<uint32_t>(i) + 1) * 2654435761U + (tensor + 1) * 40503U;
  x ^= x >> 15;
  x *= 2246822519U;
  x ^= x >> 13;
  return (x >> 8) / 16777216.0;
}

[[nodiscard]] inline tensor::TensorMap hashed_parameters(const model::Model& model) {
  return drawn_parameters<double>(model, hashed);
}

[[nodiscard]] inline TestBatch<double> hashed_batch(const model::Model& model, uint32_t number) {
  const uint32_t first = kFirstInput + kBatchStride * number;
  return drawn_batch<double>(model, model.batch, [first](uint32_t tensor, int64_t i) {
    return hashed(first + tensor, i);
  });
}

}  // namespace crossbind::referee
