// Comma-separated values as RFC 4180 has them. Knows no columns. Own code, because Debian's parsers
// (libcsv, libfccp) name no line in their errors, or want to know the columns when compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind {

// In quotes where it has commas, quotes or ends of lines.
[[nodiscard]] std::string csv_field(std::string_view text);

struct CsvRow {
  size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

// All rows, the header too; lines may end either way. Errors name the line.
[[nodiscard]] Result<std::vector<CsvRow>> parse_csv(std::string_view text);

}  // namespace crossbind
