// The evidence that a worker gives of a batch in training (the event `batch` of the protocol), and
// what it should have been.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "model/model.h"
#include "protocol/messages.h"
#include "tensor/safetensors.h"

namespace crossbind::converse {

// What a batch of the training samples with these ids is. Epoch and number are left to the caller.
[[nodiscard]] Result<protocol::Batch> expected_batch(const tensor::SafetensorsFile& data,
                                                     const model::Model& model,
                                                     std::span<const int64_t> ids);

struct BatchDifference {
  std::string member;  // "count", "ids", "inputs_sha256", "labels_sha256"
  std::string text;    // "expected 8 samples, came 7"
};

// The first member that differs.
[[nodiscard]] std::optional<BatchDifference> difference(const protocol::Batch& came,
                                                        const protocol::Batch& expected);

}  // namespace crossbind::converse
