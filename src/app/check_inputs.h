// What the user of `crossbind check` brings: a model in one of three kinds of files, and data for
// it. Looked at before any binding is started, so that what is wrong with them is said once.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "model/model.h"
#include "protocol/messages.h"

namespace crossbind::app {

enum class FileKind {
  kTorchScript,  // of PyTorch
  kSavedModel,   // of TensorFlow: a folder
  kParameters,   // safetensors, for any framework
};

// By what the file is, not by its name alone.
[[nodiscard]] Result<FileKind> kind_of(const std::filesystem::path& path);

struct CheckData {
  protocol::DataFile file;
  bool has_labels = true;
};

// A data set of the cache, or a safetensors file with `test.<input>` and, if it can be scored, its
// targets; fits the model. limit: only the first so many samples; 0: all. Workers want targets, so
// one without is copied into `scratch` with zeros for them.
[[nodiscard]] Result<CheckData> find_data(const std::string& name,
                                          const model::Model& model,
                                          int64_t limit,
                                          const std::filesystem::path& cache,
                                          const std::filesystem::path& scratch);

// What the float64 referee answers with these parameters, as a worker's outputs file.
[[nodiscard]] Status save_referee_outputs(const model::Model& model,
                                          const std::filesystem::path& parameters,
                                          const protocol::DataFile& data,
                                          const std::filesystem::path& path);

}  // namespace crossbind::app
