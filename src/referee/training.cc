#include "referee/training.h"

#include <numeric>

#include "model/losses.h"

namespace crossbind::referee {
namespace {

constexpr int64_t kEvaluationBatch = 250;

constexpr const char* kAdvice =
    "Choose a data set that fits the model: `crossbind models` lists each model's.";

Error misfit(const tensor::SafetensorsFile& file, const std::string& message) {
  return {ErrorKind::kInvalid, message, file.path().string(), kAdvice};
}

template <typename T>
Result<T> advised(Result<T> result) {
  return std::move(result).map_error(
      [](Error error) { return std::move(error).with_hint(kAdvice); });
}

Status check_range(const tensor::SafetensorsFile& file,
                   const std::string& name,
                   std::span<const int64_t> values,
                   int64_t end) {
  const auto outside = std::ranges::find_if(values, [&](int64_t v) { return v < 0 || v >= end; });
  if (outside != values.end()) {
    return tl::unexpected(
        misfit(file,
               fmt::format("tensor '{}' has the value {} at {}, the model takes 0 to {}",
                           name,
                           *outside,
                           outside - values.begin(),
                           end - 1)));
  }
  return {};
}

}  // namespace

Result<Split::Field> Split::open_field(const tensor::SafetensorsFile& file,
                                       const std::string& name,
                                       const model::Input& input) {
  CB_ASSIGN(const auto view, advised(file.find(name)));
  Field field;
  field.sample = input.shape;
  if (view.shape.empty() ||
      !std::equal(
          view.shape.begin() + 1, view.shape.end(), input.shape.begin(), input.shape.end())) {
    return tl::unexpected(
        misfit(file,
               fmt::format("tensor '{}' has shape {}, the model takes samples of {}",
                           name,
                           tensor::to_string(view.shape),
                           tensor::to_string(input.shape))));
  }
  if (input.is_integer()) {
    CB_ASSIGN(field.integers, file.values<int64_t>(name));
    CB_TRY(check_range(file, name, field.integers, input.entries));
  } else {
    CB_ASSIGN(field.floats, file.values<float>(name));
  }
  return field;
}

Status Split::open_targets(const tensor::SafetensorsFile& file,
                           const std::string& name,
                           const model::Model& model) {
  for (const std::string_view target : model::describe(model.loss).targets) {
    const std::string full_name = fmt::format("{}.{}", name, target);
    CB_ASSIGN(const auto values, advised(file.values<int64_t>(full_name)));
    CB_TRY(check_range(file, full_name, values, model::class_count(model)));
    targets_.push_back(values);
    if (values.size() != targets_.front().size()) {
      return tl::unexpected(
          misfit(file, fmt::format("'{}' and the labels before it differ in number", target)));
    }
  }
  return {};
}

Result<Split> Split::open(const tensor::SafetensorsFile& file,
                          const std::string& name,
                          const model::Model& model,
                          int64_t limit) {
  Split split;
  for (const auto& input : model.inputs) {
    CB_ASSIGN(auto field, open_field(file, name + "." + input.name, input));
    split.inputs_.push_back(std::move(field));
  }
  CB_TRY(split.open_targets(file, name, model));
  split.size_ = static_cast<int64_t>(split.targets_.front().size());
  for (size_t i = 0; i < split.inputs_.size(); ++i) {
    const auto& field = split.inputs_[i];
    const auto values = static_cast<int64_t>(field.floats.size() + field.integers.size());
    if (values != split.size_ * count_of(field.sample)) {
      return tl::unexpected(
          misfit(file, fmt::format("'{}' and the labels differ in number", model.inputs[i].name)));
    }
  }
  if (split.size_ == 0) {
    return tl::unexpected(misfit(file, fmt::format("the split '{}' is empty", name)));
  }
  if (limit > 0) {
    split.size_ = std::min(split.size_, limit);
  }
  return split;
}

template <typename T>
Split::Batch<T> Split::gather(std::span<const int64_t> ids) const {
  Batch<T> batch;
  for (const auto& field : inputs_) {
    Shape shape = {static_cast<int64_t>(ids.size())};
    shape.insert(shape.end(), field.sample.begin(), field.sample.end());
    Array<T> array(shape);
    const int64_t sample = count_of(field.sample);
    const auto copy = [&](const auto* source) {
      for (size_t n = 0; n < ids.size(); ++n) {
        std::transform(source + ids[n] * sample,
                       source + (ids[n] + 1) * sample,
                       array.data() + static_cast<int64_t>(n) * sample,
                       [](auto v) { return static_cast<T>(v); });
      }
    };
    field.floats.empty() ? copy(field.integers.data()) : copy(field.floats.data());
    batch.inputs.push_back(std::move(array));
  }
  for (size_t k = 0; k < targets_.size(); ++k) {
    for (const int64_t id : ids) {
      batch.targets.columns().at(k)->push_back(targets_[k][static_cast<size_t>(id)]);
    }
  }
  return batch;
}

EpochResult train_epoch(Network<double>& network,
                        const Split& split,
                        const BatchOrder& order,
                        const AfterBatch& after_batch) {
  double loss = 0;
  int64_t correct = 0;
  int64_t done = 0;
  for (const auto& ids : order) {
    const auto batch = split.gather<double>(ids);
    const auto size = static_cast<int64_t>(ids.size());
    network.forward(batch.inputs, Mode::kTrain);
    correct += count_correct(network.model().loss, network.output(), batch.targets);
    loss += network.backward(batch.inputs, batch.targets).value * static_cast<double>(size);
    network.update(batch.inputs);
    done += size;
    if (after_batch) {
      after_batch(done);
    }
  }
  const auto count = static_cast<double>(std::max<int64_t>(done, 1));
  return {loss / count, static_cast<double>(correct) / count};
}

Score score(Network<double>& network, const Split& split) {
  int64_t correct = 0;
  double loss = 0;
  for (int64_t begin = 0; begin < split.size(); begin += kEvaluationBatch) {
    std::vector<int64_t> ids(static_cast<size_t>(std::min(kEvaluationBatch, split.size() - begin)));
    std::iota(ids.begin(), ids.end(), begin);
    const auto batch = split.gather<double>(ids);
    network.forward(batch.inputs, Mode::kEvaluate);
    correct += count_correct(network.model().loss, network.output(), batch.targets);
    const auto mean =
        compute_loss(network.model().loss, network.math(), network.output(), batch.targets).value;
    loss += mean * static_cast<double>(ids.size());
  }
  const auto samples = static_cast<double>(split.size());
  return {static_cast<double>(correct) / samples, loss / samples};
}

double evaluate(Network<double>& network, const Split& split) {
  return score(network, split).accuracy;
}

template Split::Batch<float> Split::gather(std::span<const int64_t>) const;
template Split::Batch<double> Split::gather(std::span<const int64_t>) const;

}  // namespace crossbind::referee
