// The files from which bindings infer by serialization, or which they train: written by a worker of
// the same framework, once for each model and set of parameters of a run.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "converse/dialogue.h"
#include "converse/launcher.h"
#include "model/model.h"
#include "process/stop_signal.h"
#include "trial/settings.h"

namespace crossbind::converse {

struct SerializeJob {
  std::string binding;  // that serializes
  process::Program command;
  place::Limits limits;
  const model::Model* model = nullptr;
  std::filesystem::path weights;
  trial::Settings settings;
  trial::Format format = trial::Format::kTorchScript;
  bool training = false;  // with the training step
};

// Safe to use from several threads; one file is made at a time.
class SerializedModels {
 public:
  // directory: an existing one, which the files are left in.
  SerializedModels(std::filesystem::path directory,
                   Launcher& launcher,
                   const process::StopSignal& stop)
      : directory_(std::move(directory)),
        launcher_(launcher),
        stop_(stop) {}

  // The file, made when it is not there yet.
  [[nodiscard]] Attempt<std::filesystem::path> get(const SerializeJob& job);

 private:
  std::filesystem::path directory_;
  Launcher& launcher_;
  const process::StopSignal& stop_;
  std::mutex mutex_;
};

}  // namespace crossbind::converse
