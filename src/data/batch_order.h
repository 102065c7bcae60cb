// Which samples make up each batch of an epoch: a pure function of its arguments, so that every
// binding trains on the same batches in the same order.
#pragma once

#include <cstdint>
#include <vector>

namespace crossbind::data {

// Sample ids per batch, the last partial batch included. Shuffled by Fisher-Yates on the stream
// (seed, kBatchOrder, epoch), or in file order. Empty when there are no samples; batch must be > 0.
[[nodiscard]] std::vector<std::vector<int64_t>> batch_order(
    uint32_t seed, uint32_t epoch, int64_t samples, int64_t batch, bool shuffle);

}  // namespace crossbind::data
