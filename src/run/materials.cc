#include "run/materials.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/batch_order.h"
#include "data/dataset.h"
#include "model/initial_weights.h"
#include "tensor/safetensors.h"

namespace crossbind::run {
namespace {

int64_t limited(int64_t there, const std::optional<int64_t>& wanted) {
  return wanted ? std::min(there, *wanted) : there;
}

}  // namespace

Result<std::filesystem::path> Materials::initial_weights(const spec::ModelEntry& entry,
                                                         uint32_t seed) {
  const std::scoped_lock lock(mutex_);
  auto path = directory_ / fmt::format("weights-{}-{}.safetensors", entry.label, seed);
  if (!std::filesystem::exists(path)) {
    CB_TRY(model::save_initial_weights(path, entry.model, seed, {}));
  }
  return path;
}

Result<std::filesystem::path> Materials::batch_order(const spec::ModelEntry& entry,
                                                     uint32_t seed,
                                                     int64_t samples) {
  const std::scoped_lock lock(mutex_);
  auto path = directory_ / fmt::format("order-{}-{}.safetensors", entry.label, seed);
  if (!std::filesystem::exists(path)) {
    CB_TRY(data::save_orders(path, entry.epochs, samples, [&](uint32_t epoch) {
      return data::batch_order(seed, epoch, samples, entry.model.batch, entry.shuffle);
    }));
  }
  return path;
}

Result<protocol::DataFile> Materials::data(const spec::ModelEntry& entry) {
  const std::scoped_lock lock(mutex_);
  const auto found = data_.find(entry.label);
  if (found != data_.end()) {
    return found->second;
  }
  CB_ASSIGN(const auto dataset, data::open_dataset(entry.model.dataset, cache_));
  CB_ASSIGN(const int64_t train, dataset.samples("train"));
  CB_ASSIGN(const int64_t test, dataset.samples("test"));
  const protocol::DataFile file = {data::dataset_path(entry.model.dataset, cache_),
                                   limited(train, entry.train_samples),
                                   limited(test, entry.test_samples)};
  data_.emplace(entry.label, file);
  return file;
}

std::filesystem::path Materials::supplied(const std::string& name) const {
  return cache_ / "parameters" / (name + ".safetensors");
}

std::filesystem::path Materials::trained(const std::string& identity) const {
  return cache_ / "trained" / (identity + ".safetensors");
}

std::filesystem::path Materials::trained_outputs(const std::string& identity) const {
  return cache_ / "trained" / (identity + ".outputs.safetensors");
}

}  // namespace crossbind::run
