#include "loaders.h"

#include <cstring>

#include "layouts.h"
#include "native_graph.h"

namespace crossbind::worker {
namespace {

std::vector<NativeTensor> fields_of(const Samples& samples) {
  std::vector<NativeTensor> fields;
  for (const auto* views : {&samples.inputs, &samples.targets}) {
    for (const auto& view : *views) {
      fields.push_back(batch_to_native(view));
    }
  }
  return fields;
}

NativeBatch to_batch(const std::vector<NativeTensor>& fields, size_t inputs) {
  const auto middle = fields.begin() + static_cast<ptrdiff_t>(inputs);
  return {{fields.begin(), middle}, {middle, fields.end()}};
}

// TensorFlow holds the whole tensors and gathers rows of them.
class ResidentLoader final : public Loader {
 public:
  ResidentLoader(const Samples& samples, int threads)
      : ResidentLoader(fields_of(samples), samples.inputs.size(), threads) {}

  NativeBatch rows(const BatchIds& ids) override {
    NativeTensor picked(tensor::DType::kI64, {static_cast<int64_t>(ids.size())});
    std::memcpy(picked.bytes().data(), ids.data(), picked.bytes().size());
    return to_batch(session_.run({{graph_.ids, picked}}, graph_.rows), inputs_);
  }

 private:
  ResidentLoader(const std::vector<NativeTensor>& fields, size_t inputs, int threads)
      : inputs_(inputs),
        graph_(build_rows_graph(views_of(fields))),
        session_(graph_.definition, threads) {
    for (size_t i = 0; i < fields.size(); ++i) {
      session_.run({{graph_.tensors[i].given, fields[i]}}, {}, {graph_.tensors[i].assign});
    }
  }

  size_t inputs_;
  RowsGraph graph_;
  GraphSession session_;
};

// Copies rows of arrays into new tensors, as people feed a session.
class IdiomaticLoader final : public Loader {
 public:
  explicit IdiomaticLoader(const Samples& samples)
      : inputs_(samples.inputs.size()),
        fields_(fields_of(samples)) {}

  NativeBatch rows(const BatchIds& ids) override {
    std::vector<NativeTensor> picked;
    picked.reserve(fields_.size());
    for (const NativeTensor& field : fields_) {
      const tensor::TensorView all = field.view();
      const size_t row = all.bytes.size() / static_cast<size_t>(all.shape[0]);
      tensor::Shape shape = all.shape;
      shape[0] = static_cast<int64_t>(ids.size());
      NativeTensor batch(all.dtype, shape);
      std::byte* to = batch.bytes().data();
      for (const int64_t id : ids) {
        std::memcpy(to, all.bytes.data() + static_cast<size_t>(id) * row, row);
        to += row;
      }
      picked.push_back(std::move(batch));
    }
    return to_batch(picked, inputs_);
  }

 private:
  size_t inputs_;
  std::vector<NativeTensor> fields_;
};

}  // namespace

NativeBatch whole_batch(const Samples& samples) {
  return to_batch(fields_of(samples), samples.inputs.size());
}

std::unique_ptr<Loader> make_loader(trial::Loader kind, const Samples& samples, int threads) {
  if (kind == trial::Loader::kResident) {
    return std::make_unique<ResidentLoader>(samples, threads);
  }
  return std::make_unique<IdiomaticLoader>(samples);
}

}  // namespace crossbind::worker
