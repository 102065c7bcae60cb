#include "data/batch_order.h"

#include <algorithm>
#include <numeric>

#include "tensor/philox.h"

namespace crossbind::data {

std::vector<std::vector<int64_t>> batch_order(
    uint32_t seed, uint32_t epoch, int64_t samples, int64_t batch, bool shuffle) {
  std::vector<int64_t> ids(static_cast<size_t>(samples));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  if (shuffle) {
    tensor::PhiloxStream stream(seed, tensor::Purpose::kBatchOrder, epoch);
    tensor::shuffle(ids, stream);
  }
  std::vector<std::vector<int64_t>> batches;
  for (int64_t begin = 0; begin < samples; begin += batch) {
    batches.emplace_back(ids.begin() + begin, ids.begin() + std::min(samples, begin + batch));
  }
  return batches;
}

}  // namespace crossbind::data
