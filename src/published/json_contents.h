// The kinds of contents that are JSON: Python's times and inferences, and every ROC file.
#pragma once

#include "published/contents.h"

namespace crossbind::published {

[[nodiscard]] Result<TimeCost> read_time_cost_json(std::string_view text);
[[nodiscard]] Result<Inference> read_inference_json(std::string_view text);

}  // namespace crossbind::published
