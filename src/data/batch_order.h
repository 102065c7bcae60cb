// Which samples make up each batch of an epoch: a pure function of its arguments, so that every
// binding trains on the same batches in the same order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/error.h"

namespace crossbind::data {

using Batches = std::vector<std::vector<int64_t>>;  // sample ids

// Sample ids per batch, the last partial batch included. Shuffled by Fisher-Yates on the stream
// (seed, kBatchOrder, epoch), or in file order. Empty when there are no samples; batch must be > 0.
[[nodiscard]] Batches batch_order(
    uint32_t seed, uint32_t epoch, int64_t samples, int64_t batch, bool shuffle);

// The file that workers read orders from: the ids of every epoch, from 1, of `samples` samples
// each.
[[nodiscard]] Status save_orders(const std::filesystem::path& path,
                                 int64_t epochs,
                                 int64_t samples,
                                 const std::function<Batches(uint32_t epoch)>& order_of);

}  // namespace crossbind::data
