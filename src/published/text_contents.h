// The kinds of contents that are text: all of C#, Rust and JavaScript, and every curve.
#pragma once

#include "published/contents.h"

namespace crossbind::published {

[[nodiscard]] Result<TimeCost> read_time_cost_text(std::string_view text, Language language);
[[nodiscard]] Result<Inference> read_inference_text(std::string_view text, Language language);

}  // namespace crossbind::published
