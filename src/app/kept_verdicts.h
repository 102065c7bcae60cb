// What conform found, kept in a store: a trial of the task "conform" for each binding and model, in
// a study of that name whose text is what was asked. Decides nothing and prints nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "conform/conformance.h"
#include "store/result_store.h"

namespace crossbind::app {

struct KeptVerdicts {
  size_t added = 0;
  size_t already_there = 0;  // of the same build, model and questions: what was there stays
};

struct Occasion {
  store::Time began;
  store::Environment host;
};

[[nodiscard]] store::StudyRecord study_of(const std::vector<conform::Participant>& participants,
                                          const conform::Questions& questions);

// A hash of the participant's build, what is known of it, the model and the questions.
[[nodiscard]] std::string conform_identity(const std::vector<conform::Participant>& participants,
                                           size_t participant,
                                           const model::Model& model,
                                           const conform::Questions& questions);

// All of the verdicts or, on an error, none. A verdict that had failed in the store is replaced.
[[nodiscard]] Result<KeptVerdicts> keep_verdicts(
    const conform::Conformance& report,
    const std::vector<conform::Participant>& participants,
    const conform::Questions& questions,
    const Occasion& occasion,
    store::ResultStore& store);

}  // namespace crossbind::app
