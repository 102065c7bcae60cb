// One trial, ready to run: everything that must be known to start its worker and to judge what it
// says.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/model.h"
#include "protocol/messages.h"
#include "run/worker.h"
#include "store/record.h"
#include "trial/settings.h"

namespace crossbind::run {

struct TrialJob {
  std::string identity;
  store::Axes axes;
  const model::Model* model = nullptr;
  trial::Task task = trial::Task::kTrain;
  trial::Settings settings;
  WorkerCommand command;
  Limits limits;
  std::filesystem::path model_file;  // initial or trained parameters, or the serialized model
  protocol::DataFile data;
  std::filesystem::path order;
  bool is_shuffled = true;     // the order
  bool times_only = false;     // what it learns and answers is not scored
  std::filesystem::path keep;  // where trained parameters stay; empty: they are only hashed
  // Where outputs stay, likewise: of an inference, or of one that follows a training in the same
  // worker, which is only done for them.
  std::filesystem::path keep_outputs;
  std::filesystem::path expected;  // outputs that an inference is compared with; empty: none
  bool saves = false;              // whether the worker can write them
  std::filesystem::path scratch;   // an existing directory: the trial's own is made in it
};

}  // namespace crossbind::run
