// One step that a worker takes apart: asked for, read back and checked. Judges nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "judge/step_judge.h"
#include "model/model.h"
#include "run/dialogue.h"
#include "trial/settings.h"

namespace crossbind::run {

using AskProbe = std::function<Step<protocol::Done>(const protocol::Probe&)>;

struct StepFiles {
  std::filesystem::path batch;
  std::optional<std::filesystem::path> state;  // nothing: as prepared
  std::filesystem::path directory;             // for what the worker shows; an existing one
};

// `start` says where the step starts: its mode, number, state and batch, the same as the files'.
// The step comes back with everything that a worker of that level shows; what is missing, of
// another shape or no float32 is a failure, but for outputs that it says are fused.
[[nodiscard]] Step<judge::RecordedStep> take_step(const AskProbe& ask,
                                                  const model::Model& model,
                                                  trial::ProbeLevel level,
                                                  judge::RecordedStep start,
                                                  const StepFiles& files);

}  // namespace crossbind::run
