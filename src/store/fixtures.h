// Trials for tests.
#pragma once

#include "store/record.h"

namespace crossbind::store {

// A trial that depends on the number alone: done, with `samples` samples in each of two series.
[[nodiscard]] TrialRecord make_trial(int number, int samples = 3);
[[nodiscard]] TrialRecord failed(TrialRecord trial, const std::string& reason);

// A trial that uses everything a record has, in the order in which stores return it.
[[nodiscard]] TrialRecord full_trial();

}  // namespace crossbind::store
