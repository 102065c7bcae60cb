// One step that shows a divergence, as values and as a folder that replays it: the model, where the
// step starts, and its batch. Knows no worker.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "conform/finding.h"
#include "judge/step_judge.h"
#include "model/model.h"
#include "tensor/tensor.h"

namespace crossbind::conform {

struct Case {
  model::Model model;
  tensor::TensorMap state;  // parameters and moments, by the names of the protocol
  tensor::TensorMap batch;  // inputs and targets, likewise
  bool trains = true;
  int64_t number = 1;  // of the step, from 1
};

// The case of a step that has been taken; `batch` is the file that the step's batch is in.
[[nodiscard]] Result<Case> case_of(const model::Model& model,
                                   const judge::RecordedStep& step,
                                   const std::filesystem::path& batch);

// The step without what a worker shows of it. Errors say what the tensors lack.
[[nodiscard]] Result<judge::RecordedStep> start_of(const Case& subject);

// model.toml, weights.safetensors, batch.safetensors and a README.md that says what diverges and
// how to see it again. The folder must not be there yet; it appears whole or not at all.
[[nodiscard]] Status write_repro(const std::filesystem::path& folder,
                                 const Case& subject,
                                 const std::string& binding,
                                 const Divergence& divergence);

[[nodiscard]] Result<Case> read_repro(const std::filesystem::path& folder);

}  // namespace crossbind::conform
