#include "crossbind_worker/job.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "model/graph_reader.h"

namespace crossbind::worker {
namespace {

using tensor::DType;
using tensor::SafetensorsFile;
using tensor::Shape;
using tensor::TensorView;

Status check_range(const SafetensorsFile& file,
                   const std::string& name,
                   const TensorView& view,
                   int64_t end) {
  CB_ASSIGN(const auto values, view.as<int64_t>());
  if (std::ranges::any_of(values, [&](int64_t value) { return value < 0 || value >= end; })) {
    return fail(ErrorKind::kCorrupt,
                "{}: '{}' has values outside of 0 to {}",
                file.path().string(),
                name,
                end - 1);
  }
  return {};
}

int64_t classes_of(const model::Model& model) {
  return model.loss == model::Loss::kBinaryCrossEntropy ? 2 : model.nodes.back().output[0];
}

Result<int64_t> samples_in(const SafetensorsFile& file, const std::string& name) {
  CB_ASSIGN(const TensorView view, file.find(name));
  if (view.shape.empty() || view.shape.front() == 0) {
    return fail(ErrorKind::kCorrupt, "{}: '{}' holds no samples", file.path().string(), name);
  }
  return view.shape.front();
}

TensorView rows_of(TensorView view, int64_t begin, int64_t count) {
  const auto row = view.bytes.size() / static_cast<size_t>(view.shape[0]);
  view.shape[0] = count;
  view.bytes =
      view.bytes.subspan(row * static_cast<size_t>(begin), row * static_cast<size_t>(count));
  return view;
}

// Nothing when no sample is wanted.
Result<std::optional<Samples>> read_split(const SafetensorsFile& file,
                                          const std::string& name,
                                          const model::Model& model,
                                          int64_t size) {
  if (size == 0) {
    return std::nullopt;
  }
  CB_ASSIGN(Samples samples, read_samples(file, name + ".", model, Labels::kNeeded));
  if (samples.size < size) {
    return fail(ErrorKind::kCorrupt,
                "{}: '{}' has {} samples, expected at least {}",
                file.path().string(),
                name,
                samples.size,
                size);
  }
  for (auto* views : {&samples.inputs, &samples.targets}) {
    for (TensorView& view : *views) {
      view = rows_of(view, 0, size);
    }
  }
  samples.size = size;
  return samples;
}

std::vector<BatchIds> cut(std::span<const int64_t> ids, int64_t batch_size) {
  std::vector<BatchIds> batches;
  const auto size = static_cast<size_t>(batch_size);
  for (size_t begin = 0; begin < ids.size(); begin += size) {
    const auto piece = ids.subspan(begin, std::min(size, ids.size() - begin));
    batches.emplace_back(piece.begin(), piece.end());
  }
  return batches;
}

Result<std::vector<std::vector<BatchIds>>> read_order(const std::filesystem::path& path,
                                                      const trial::Settings& settings,
                                                      int64_t samples) {
  CB_ASSIGN(const auto file, SafetensorsFile::open(path));
  CB_ASSIGN(const TensorView view,
            find_tensor(file, "order", DType::kI64, {settings.epochs, samples}));
  CB_TRY(check_range(file, "order", view, samples));
  CB_ASSIGN(const auto ids, view.as<int64_t>());
  std::vector<std::vector<BatchIds>> order;
  for (int64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    order.push_back(
        cut(ids.subspan(static_cast<size_t>(epoch * samples), static_cast<size_t>(samples)),
            settings.batch_size));
  }
  return order;
}

// Of what is serialized: where it is not said, the only one that the worker reads.
Result<trial::Format> format_of(const protocol::Prepare& request,
                                const std::vector<trial::Format>& reads) {
  if (!request.format && reads.size() != 1) {
    return fail(
        ErrorKind::kInvalid, "the worker reads {} formats: 'format' is missing", reads.size());
  }
  const trial::Format format = request.format ? *request.format : reads.front();
  if (std::ranges::find(reads, format) == reads.end()) {
    return fail(ErrorKind::kUnsupported, "format {}", name_in(trial::kFormats, format));
  }
  return format;
}

}  // namespace

std::vector<std::string> target_names(const model::Model& model) {
  return model.loss == model::Loss::kSpanCrossEntropy ? std::vector<std::string>{"start", "end"}
                                                      : std::vector<std::string>{"label"};
}

std::vector<BatchIds> batches_in_file_order(int64_t samples, int64_t batch_size) {
  std::vector<int64_t> ids(static_cast<size_t>(samples));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  return cut(ids, batch_size);
}

Result<TensorView> find_tensor(const SafetensorsFile& file,
                               const std::string& name,
                               DType dtype,
                               const Shape& shape) {
  CB_ASSIGN(TensorView view, file.find(name));
  if (view.dtype != dtype || view.shape != shape) {
    return fail(ErrorKind::kCorrupt,
                "{}: '{}' is {} {}, expected {} {}",
                file.path().string(),
                name,
                tensor::name_of(view.dtype),
                tensor::to_string(view.shape),
                tensor::name_of(dtype),
                tensor::to_string(shape));
  }
  return view;
}

Result<Samples> read_samples(const SafetensorsFile& file,
                             const std::string& prefix,
                             const model::Model& model,
                             Labels labels) {
  Samples samples;
  CB_ASSIGN(samples.size, samples_in(file, prefix + model.inputs.front().name));
  for (const model::Input& input : model.inputs) {
    const std::string name = prefix + input.name;
    Shape shape = {samples.size};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    CB_ASSIGN(TensorView view,
              find_tensor(file, name, input.is_integer() ? DType::kI64 : DType::kF32, shape));
    if (input.is_integer()) {
      CB_TRY(check_range(file, name, view, input.entries));
    }
    samples.inputs.push_back(std::move(view));
  }
  const auto names = target_names(model);
  if (labels == Labels::kOptional && !file.find(prefix + names.front())) {
    return samples;
  }
  for (const std::string& target : names) {
    const std::string name = prefix + target;
    CB_ASSIGN(TensorView view, find_tensor(file, name, DType::kI64, {samples.size}));
    CB_TRY(check_range(file, name, view, classes_of(model)));
    samples.targets.push_back(std::move(view));
  }
  return samples;
}

std::vector<TensorView> targets_of(const Samples& samples, int64_t begin, int64_t count) {
  std::vector<TensorView> targets;
  for (const TensorView& all : samples.targets) {
    targets.push_back(rows_of(all, begin, count));
  }
  return targets;
}

Result<SafetensorsFile> open_parameters(const std::filesystem::path& path,
                                        const model::Model& model) {
  CB_ASSIGN(auto file, SafetensorsFile::open(path));
  for (const model::Parameter& parameter : model.parameters) {
    CB_TRY(find_tensor(file, parameter.name, DType::kF32, parameter.shape));
  }
  return file;
}

Result<Job> read_job(const protocol::Prepare& request, const std::vector<trial::Format>& reads) {
  Job job;
  if (request.serialized) {
    CB_ASSIGN(const trial::Format format, format_of(request, reads));
    job.serialized = SerializedModel{*request.serialized, format};
  }
  CB_ASSIGN(job.model, model::read_graph(request.graph));
  job.settings = request.settings;
  if (request.weights) {
    CB_ASSIGN(job.weights, open_parameters(*request.weights, job.model));
  }
  if (request.data) {
    CB_ASSIGN(job.data, SafetensorsFile::open(request.data->path));
    CB_ASSIGN(job.training, read_split(*job.data, "train", job.model, request.data->train_samples));
    CB_ASSIGN(job.testing, read_split(*job.data, "test", job.model, request.data->test_samples));
  }
  if (request.order) {
    if (!job.training) {
      return fail(ErrorKind::kInvalid, "an order needs training samples");
    }
    CB_ASSIGN(job.order, read_order(*request.order, job.settings, job.training->size));
  }
  return job;
}

}  // namespace crossbind::worker
