#include "app/number_file.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/file.h"

namespace crossbind::app {
namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  line = line.substr(0, line.find('#'));
  const size_t first = line.find_first_not_of(kBlank);
  return first == std::string_view::npos
             ? std::string_view()
             : line.substr(first, line.find_last_not_of(kBlank) + 1 - first);
}

Result<double> number_of(std::string_view text) {
  const std::string_view digits = text.front() == '+' ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
    return fail(ErrorKind::kInvalid, "'{}' is not a finite number", text);
  }
  return value;
}

}  // namespace

Result<std::vector<double>> read_numbers(const std::filesystem::path& path) {
  CB_ASSIGN(const std::string content, read_file(path));
  std::vector<double> numbers;
  std::string_view rest = content;
  for (size_t line = 1; !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view text = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (text.empty()) {
      continue;
    }
    const auto number = number_of(text);
    if (!number) {
      return tl::unexpected(Error(number.error())
                                .at(fmt::format("{}:{}", path.string(), line))
                                .with_hint("The file has one number a line."));
    }
    numbers.push_back(*number);
  }
  if (numbers.empty()) {
    return tl::unexpected(Error{ErrorKind::kInvalid, "there is no number", path.string(), {}});
  }
  return numbers;
}

}  // namespace crossbind::app
