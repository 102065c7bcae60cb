// The terminal behind standard error, for lines that are redrawn.
#pragma once

#include <cstddef>
#include <string>

namespace crossbind::cli {

// In columns; 0 where there is no terminal.
[[nodiscard]] size_t terminal_width();

// The beginning of a text that fits into one line of that width, as plain ASCII: colours, tabs and
// the like would move the cursor, and a line that wraps could not be drawn over.
[[nodiscard]] std::string fitting(const std::string& text, size_t width);

}  // namespace crossbind::cli
