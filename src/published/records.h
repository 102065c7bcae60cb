// Published files as trials of a store. An identity is made of what was varied, so that importing
// the same files again adds nothing.
#pragma once

#include <optional>
#include <string>

#include "published/contents.h"
#include "published/recomputed.h"
#include "store/record.h"

namespace crossbind::published {

// One folder of the study: framework, model, language.
struct Cell {
  std::string framework;
  std::string model;
  Language language = Language::kPython;
};

[[nodiscard]] store::StudyRecord published_study();

// How many epochs the study trained this model; none for one that it does not name.
[[nodiscard]] std::optional<size_t> epochs_of(const std::string& model);

[[nodiscard]] store::TrialRecord training_record(const Cell& cell,
                                                 const std::string& device,
                                                 size_t index,
                                                 const TrainingFiles& files);

[[nodiscard]] store::TrialRecord inference_record(const Cell& cell,
                                                  const std::string& device,
                                                  trial::Task task,
                                                  const Inference& inference);

// The record of a task that the study has no file of.
[[nodiscard]] store::TrialRecord unsupported_record(const Cell& cell,
                                                    const std::string& device,
                                                    trial::Task task);

}  // namespace crossbind::published
