// What conform says as JSON, and back: `crossbind conform --json` (docs/conform.md) is written and
// read here alone.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tasks/conform/result.h"

namespace crossbind::tasks {

// The member of conform's answer that has them, as an array.
inline constexpr const char* kVerdicts = "verdicts";

// JSON has no infinity: what is beyond all bounds is null, and so is a ratio that says nothing.
[[nodiscard]] nlohmann::ordered_json verdict_json(const Verdict& verdict);

// Those of conform's whole answer. Members that are not there are taken for empty; words that are
// not conform's are an error. `place` names the file.
[[nodiscard]] Result<std::vector<Verdict>> read_verdicts(std::string_view json,
                                                         const std::string& place);

}  // namespace crossbind::tasks
