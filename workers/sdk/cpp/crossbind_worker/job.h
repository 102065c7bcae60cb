// What a worker is prepared with: the files of 'prepare', open and checked against the model, so
// that a binding can take every name, type, shape and range for granted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "protocol/messages.h"
#include "tensor/safetensors.h"
#include "trial/format.h"
#include "trial/settings.h"

namespace crossbind::worker {

using BatchIds = std::vector<int64_t>;

// Views of samples in a file, batch first: float32, or int64 for integers.
struct Samples {
  std::vector<tensor::TensorView> inputs;   // in the order of the model's
  std::vector<tensor::TensorView> targets;  // labels, or starts and ends; empty: there are none
  int64_t size = 0;
};

// A file of a whole model.
struct SerializedModel {
  std::filesystem::path path;
  trial::Format format = trial::Format::kTorchScript;
};

struct Job {
  model::Model model;
  trial::Settings settings;
  // One of the two is there. The weights hold every parameter of the model.
  std::optional<tensor::SafetensorsFile> weights;
  std::optional<SerializedModel> serialized;
  std::optional<tensor::SafetensorsFile> data;
  std::optional<Samples> training;
  std::optional<Samples> testing;
  std::vector<std::vector<BatchIds>> order;  // the batches of every epoch; empty without an order
};

// What the targets are called: "label", or "start" and "end".
[[nodiscard]] std::vector<std::string> target_names(const model::Model& model);

// `reads` are the formats that the worker reads. Fails with kUnsupported when a model is serialized
// as another.
[[nodiscard]] Result<Job> read_job(const protocol::Prepare& request,
                                   const std::vector<trial::Format>& reads = {});

// Consecutive pieces of 0, 1, 2, ...
[[nodiscard]] std::vector<BatchIds> batches_in_file_order(int64_t samples, int64_t batch_size);

// All samples of a file whose tensors are called `prefix` and the input's name; labels that are not
// there are an error only where they are needed.
enum class Labels { kNeeded, kOptional };
[[nodiscard]] Result<Samples> read_samples(const tensor::SafetensorsFile& file,
                                           const std::string& prefix,
                                           const model::Model& model,
                                           Labels labels);

// The targets of some consecutive samples.
[[nodiscard]] std::vector<tensor::TensorView> targets_of(const Samples& samples,
                                                         int64_t begin,
                                                         int64_t count);

// A file with every parameter of the model.
[[nodiscard]] Result<tensor::SafetensorsFile> open_parameters(const std::filesystem::path& path,
                                                              const model::Model& model);

// The tensor, if it has this type and shape.
[[nodiscard]] Result<tensor::TensorView> find_tensor(const tensor::SafetensorsFile& file,
                                                     const std::string& name,
                                                     tensor::DType dtype,
                                                     const tensor::Shape& shape);

}  // namespace crossbind::worker
