#include "cli/slowdown_option.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace crossbind::cli {
namespace {

std::optional<double> number_before(const std::string& text, char unit) {
  if (text.empty() || text.back() != unit) {
    return std::nullopt;
  }
  const char* const end = text.data() + text.size() - 1;
  double number = 0;
  const auto [place, error] = std::from_chars(text.data(), end, number);
  const bool whole = error == std::errc() && place == end && std::isfinite(number);
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<double> slowdown_from(const std::string& text) {
  if (const auto percent = number_before(text, '%'); percent && *percent >= 0) {
    return *percent / 100;
  }
  if (const auto times = number_before(text, 'x'); times && *times >= 1) {
    return *times - 1;
  }
  return tl::unexpected(Error{ErrorKind::kInvalid,
                              fmt::format("'{}' is not a slowdown", text),
                              "--max-slowdown",
                              "Write a share like 5%, or a factor from 1 on like 1.05x."});
}

}  // namespace crossbind::cli
