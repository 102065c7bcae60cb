// The commands that a step of a GitHub workflow prints. Names, reasons and places come from
// outside, so they stay text whatever they hold.
#pragma once

#include <string>
#include <string_view>

namespace crossbind::decide {

// "::error title=TITLE::MESSAGE" with a line end.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
enum class Severity { kError, kWarning, kNotice };
[[nodiscard]] std::string annotation(Severity severity,
                                     std::string_view title,
                                     std::string_view message);

}  // namespace crossbind::decide
