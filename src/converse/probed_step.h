// One step that a worker takes apart: asked for, read back and checked. Judges nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "converse/dialogue.h"
#include "judge/step_judge.h"
#include "judge/step_tensors.h"
#include "model/model.h"
#include "trial/settings.h"

namespace crossbind::converse {

// What a worker showed of a step, added to where it started. An error says which of the wanted
// tensors is not there, of another shape or no float32; outputs that it says are fused with a later
// layer's may be missing.
[[nodiscard]] Result<judge::RecordedStep> read_step(const protocol::Done& done,
                                                    const std::vector<judge::StepTensor>& wanted,
                                                    judge::RecordedStep start);

using AskProbe = std::function<Attempt<protocol::Done>(const protocol::Probe&)>;

struct StepFiles {
  std::filesystem::path batch;
  std::optional<std::filesystem::path> state;  // nothing: as prepared
  std::filesystem::path directory;             // for what the worker shows; an existing one
};

// `start` says where the step starts: its mode, number, state and batch, the same as the files'.
// The step comes back with everything that a worker of that level shows, as read_step() has it;
// what that calls an error is a failure.
[[nodiscard]] Attempt<judge::RecordedStep> take_step(const AskProbe& ask,
                                                     const model::Model& model,
                                                     trial::ProbeLevel level,
                                                     judge::RecordedStep start,
                                                     const StepFiles& files);

}  // namespace crossbind::converse
