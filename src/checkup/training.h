// One training as the checks ask for it, and what is expected of its events.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "checkup/examination.h"

namespace crossbind::checkup {

struct Training {
  std::vector<protocol::Timings> warmups;
  std::vector<protocol::Timings> timings;  // one an epoch
  std::vector<protocol::Epoch> epochs;
  std::vector<protocol::Batch> batches;
};

// Prepares with these settings and trains; skips when the worker does not claim to. Checks what
// holds for every training: the order of events, the numbers of epochs and steps.
[[nodiscard]] Result<Training> train(Examination& examination,
                                     const trial::Settings& settings,
                                     const protocol::Train& request = {});

// The hash of the parameters that such a training saves; skips when the worker saves none.
[[nodiscard]] Result<std::string> trained_hash(Examination& examination,
                                               const trial::Settings& settings);

}  // namespace crossbind::checkup
