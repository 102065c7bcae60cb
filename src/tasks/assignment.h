// What a worker is to do in one trial, and with which files. Who does it, and under which limits,
// is for others to know.
#pragma once

#include <filesystem>
#include <optional>

#include "model/model.h"
#include "protocol/messages.h"
#include "trial/settings.h"

namespace crossbind::tasks {

struct Assignment {
  const model::Model* model = nullptr;
  trial::Task task = trial::Task::kTrain;
  trial::Settings settings;
  std::filesystem::path model_file;     // initial or trained parameters, or the serialized model
  std::optional<trial::Format> format;  // of the serialized model
  protocol::DataFile data;
  std::filesystem::path order;  // of the samples, for tasks that take training steps
  bool times_only = false;      // what it learns and answers is not scored
  bool saves = false;           // whether the worker can write trained parameters
  std::filesystem::path keep;   // where trained parameters stay; empty: they are only hashed
  // Where outputs stay; empty: they are only hashed. A training is followed by an inference in the
  // same worker where they are to stay, which is only done for them.
  std::filesystem::path keep_outputs;
  std::filesystem::path expected;  // outputs that an inference is compared with; empty: none
};

}  // namespace crossbind::tasks
