#include "loaders.h"

#include <torch/data.h>

#include <optional>

#include "tensors.h"

namespace crossbind::worker {
namespace {

using torch::Tensor;

// The tensors of a sample or of a batch: inputs, then targets.
using Fields = std::vector<Tensor>;

Fields fields_of(const Samples& samples, torch::Device device) {
  Fields fields;
  for (const auto* views : {&samples.inputs, &samples.targets}) {
    for (const auto& view : *views) {
      fields.push_back(borrow(view).to(device, /*non_blocking=*/false, /*copy=*/true));
    }
  }
  return fields;
}

TorchBatch to_batch(const Fields& fields, size_t inputs) {
  const auto middle = fields.begin() + static_cast<ptrdiff_t>(inputs);
  return {{fields.begin(), middle}, {middle, fields.end()}};
}

// Whole tensors on the device; a batch is some of their rows.
class ResidentLoader final : public Loader {
 public:
  ResidentLoader(const Samples& samples, torch::Device device)
      : inputs_(samples.inputs.size()),
        device_(device),
        fields_(fields_of(samples, device)) {}

  void begin(std::span<const BatchIds> batches) override { batches_ = batches; }

  TorchBatch next() override {
    const Tensor rows = torch::tensor(batches_.front(), torch::kLong).to(device_);
    batches_ = batches_.subspan(1);
    Fields picked;
    picked.reserve(fields_.size());
    for (const Tensor& field : fields_) {
      picked.push_back(field.index_select(0, rows));
    }
    return to_batch(picked, inputs_);
  }

 private:
  size_t inputs_;
  torch::Device device_;
  Fields fields_;
  std::span<const BatchIds> batches_;
};

class SampleDataset final : public torch::data::datasets::Dataset<SampleDataset, Fields> {
 public:
  explicit SampleDataset(Fields fields) : fields_(std::move(fields)) {}

  Fields get(size_t index) override {
    Fields sample;
    sample.reserve(fields_.size());
    for (const Tensor& field : fields_) {
      sample.push_back(field[static_cast<int64_t>(index)]);
    }
    return sample;
  }
  [[nodiscard]] std::optional<size_t> size() const override {
    return static_cast<size_t>(fields_.front().size(0));
  }

 private:
  Fields fields_;
};

// torch's own Stack knows samples of one input.
struct StackFields : torch::data::transforms::Collation<Fields> {
  Fields apply_batch(std::vector<Fields> samples) override {
    Fields batch;
    for (size_t field = 0; field < samples.front().size(); ++field) {
      std::vector<Tensor> column;
      column.reserve(samples.size());
      for (const Fields& sample : samples) {
        column.push_back(sample[field]);
      }
      batch.push_back(torch::stack(column));
    }
    return batch;
  }
};

// Hands out the ids of an epoch. Its batches are all of one size but the last, so that the loader,
// which asks for that size, gets them as they are.
class OrderSampler final : public torch::data::samplers::Sampler<> {
 public:
  explicit OrderSampler(std::span<const BatchIds> batches) : batches_(batches) {}

  void reset(std::optional<size_t> /*new_size*/ = std::nullopt) override { next_ = 0; }
  std::optional<std::vector<size_t>> next(size_t /*batch_size*/) override {
    if (next_ == batches_.size()) {
      return std::nullopt;
    }
    const BatchIds& ids = batches_[next_++];
    return std::vector<size_t>(ids.begin(), ids.end());
  }
  void save(torch::serialize::OutputArchive& /*archive*/) const override {}
  void load(torch::serialize::InputArchive& /*archive*/) override {}

 private:
  std::span<const BatchIds> batches_;
  size_t next_ = 0;
};

// torch's DataLoader with the order as its sampler.
class IdiomaticLoader final : public Loader {
 public:
  IdiomaticLoader(const Samples& samples, int64_t batch_size, torch::Device device)
      : inputs_(samples.inputs.size()),
        batch_size_(static_cast<size_t>(batch_size)),
        device_(device),
        fields_(fields_of(samples, torch::kCPU)) {}

  void begin(std::span<const BatchIds> batches) override {
    position_.reset();
    loader_ = torch::data::make_data_loader(
        SampleDataset(fields_).map(StackFields()), OrderSampler(batches), batch_size_);
  }

  TorchBatch next() override {
    if (position_) {
      ++*position_;
    } else {
      position_ = loader_->begin();
    }
    Fields batch = **position_;
    for (Tensor& field : batch) {
      field = field.to(device_);
    }
    return to_batch(batch, inputs_);
  }

 private:
  using Stacked = torch::data::datasets::MapDataset<SampleDataset, StackFields>;

  size_t inputs_;
  size_t batch_size_;
  torch::Device device_;
  Fields fields_;
  std::unique_ptr<torch::data::StatelessDataLoader<Stacked, OrderSampler>> loader_;
  std::optional<torch::data::Iterator<Fields>> position_;
};

}  // namespace

TorchBatch whole_batch(const Samples& samples, torch::Device device) {
  return to_batch(fields_of(samples, device), samples.inputs.size());
}

std::unique_ptr<Loader> make_loader(trial::Loader kind,
                                    const Samples& samples,
                                    int64_t batch_size,
                                    torch::Device device) {
  if (kind == trial::Loader::kResident) {
    return std::make_unique<ResidentLoader>(samples, device);
  }
  return std::make_unique<IdiomaticLoader>(samples, batch_size, device);
}

}  // namespace crossbind::worker
