#include "data/batch_order.h"

#include <algorithm>
#include <numeric>

#include "tensor/philox.h"
#include "tensor/safetensors.h"

namespace crossbind::data {

Batches batch_order(uint32_t seed, uint32_t epoch, int64_t samples, int64_t batch, bool shuffle) {
  std::vector<int64_t> ids(static_cast<size_t>(samples));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  if (shuffle) {
    tensor::PhiloxStream stream(seed, tensor::Purpose::kBatchOrder, epoch);
    tensor::shuffle(ids, stream);
  }
  Batches batches;
  for (int64_t begin = 0; begin < samples; begin += batch) {
    batches.emplace_back(ids.begin() + begin, ids.begin() + std::min(samples, begin + batch));
  }
  return batches;
}

Status save_orders(const std::filesystem::path& path,
                   int64_t epochs,
                   int64_t samples,
                   const std::function<Batches(uint32_t epoch)>& order_of) {
  CB_ASSIGN(auto writer,
            tensor::SafetensorsWriter::create(
                path, {{"order", tensor::DType::kI64, {epochs, samples}}}, {}));
  for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
    for (const auto& batch : order_of(static_cast<uint32_t>(epoch))) {
      CB_TRY(writer.append(std::span<const int64_t>(batch)));
    }
  }
  return writer.finish();
}

}  // namespace crossbind::data
