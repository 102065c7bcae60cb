// The text files of the study: titles, each with the lines of values under it. A line is a number,
// a flag, or a flag and a number; anything else is a title when it has a colon, and an error when
// it has none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind::published {

struct Line {
  size_t number = 0;  // from 1
  std::optional<bool> flag;
  std::optional<double> value;
};

struct Section {
  std::string title;  // up to the colon; empty for what stands before the first title
  std::optional<double> inline_value;
  size_t line = 0;
  std::vector<Line> lines;
};

// At least one section, and one line or title in it.
[[nodiscard]] Result<std::vector<Section>> read_sections(std::string_view text);

[[nodiscard]] Result<std::vector<double>> numbers_of(const Section& section, size_t count);
[[nodiscard]] Result<std::vector<bool>> flags_of(const Section& section, size_t count);
// The first section of that title, or none.
[[nodiscard]] const Section* find_section(const std::vector<Section>& sections,
                                          std::string_view title);

// An error at a line.
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail_at(size_t line,
                                            fmt::format_string<Args...> format,
                                            Args&&... args) {
  return tl::unexpected<Error>(Error{ErrorKind::kInvalid,
                                     fmt::format(format, std::forward<Args>(args)...),
                                     fmt::format("line {}", line),
                                     {}});
}

}  // namespace crossbind::published
