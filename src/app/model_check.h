// The work of `crossbind check`: a model file that the user brings goes through every binding that
// loads it, and each one's answers are held against those of whoever is to be right.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/check_inputs.h"
#include "app/compared_answers.h"
#include "app/ready_bindings.h"
#include "app/resources.h"
#include "base/error.h"
#include "model/model.h"
#include "run/study_runner.h"
#include "trial/settings.h"
#include "workers/binding.h"

namespace crossbind::app {

struct CheckQuestion {
  std::string file;
  std::string model;                  // an id, or a file
  std::string data;                   // a data set, or a file
  std::vector<std::string> bindings;  // names and globs; none: all that are ready
  bool whole = false;                 // large models too answer every sample
};

// A model that is to be checked, ready to be handed to bindings.
struct CheckedModel {
  FileKind kind = FileKind::kParameters;
  std::filesystem::path path;
  model::Model model;
  CheckData data;
  std::string judge;               // whose answers count
  std::filesystem::path expected;  // the answers that count

  [[nodiscard]] trial::Task task() const {
    return kind == FileKind::kParameters ? trial::Task::kInferParameters
                                         : trial::Task::kInferSerialization;
  }
};

struct CheckPlan {
  CheckedModel subject;
  std::vector<workers::Binding> bindings;  // in the order they are tried: the judge first
};

// Looks at all that the user brings before a worker is started. Who is to be right: the referee
// where the model is described layer by layer and its parameters are there, else the binding that
// writes such files. The referee's answers are written here, into `scratch`.
[[nodiscard]] Result<CheckPlan> plan_check(const CheckQuestion& question,
                                           const std::vector<workers::Binding>& all,
                                           const Machine& machine,
                                           const std::filesystem::path& scratch);

struct CheckedBinding {
  std::string binding;
  ComparedAnswers answers;
};

// What checking needs beside the plan. All must outlive it.
struct CheckContext {
  const Starts& starts;
  converse::Launcher& launcher;
  const process::StopSignal& stop;
  const std::filesystem::path& scratch;
  run::RunWatch& watch;
};

// In the order of the plan's bindings; nothing when it was interrupted.
[[nodiscard]] std::optional<std::vector<CheckedBinding>> check_model(const CheckPlan& plan,
                                                                     const CheckContext& context);

}  // namespace crossbind::app
