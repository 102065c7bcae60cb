#include "plan/only.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/glob.h"
#include "base/text.h"
#include "spec/study.h"

namespace crossbind::plan {

Result<Only> parse_only(std::string_view term) {
  std::vector<std::string_view> keys = {"seed", "repeat", "trial"};
  std::ranges::transform(spec::kAxes, std::back_inserter(keys), &Named<spec::Axis>::name);
  const size_t equals = std::min(term.find('='), term.size());
  Only only = {std::string(term.substr(0, equals)), std::string(term.substr(equals))};
  if (std::ranges::find(keys, only.key) == keys.end() || only.pattern.size() < 2) {
    return fail(ErrorKind::kInvalid,
                "--only {} is not KEY=PATTERN with one of the keys {}",
                term,
                fmt::join(keys, ", "));
  }
  only.pattern.erase(0, 1);
  if (only.key == "trial") {
    only.pattern += '*';
  }
  return only;
}

bool lets_through(const std::vector<Only>& terms, std::string_view key, std::string_view value) {
  bool wanted = true;
  for (const auto& term : terms) {
    if (term.key == key) {
      if (matches(term.pattern, value)) {
        return true;
      }
      wanted = false;
    }
  }
  return wanted;
}

Status check_only(const std::vector<Only>& terms,
                  std::string_view key,
                  const std::vector<std::string>& values) {
  for (const auto& term : terms) {
    if (term.key == key && std::ranges::none_of(values, [&](const auto& value) {
          return matches(term.pattern, value);
        })) {
      const std::string near = nearest(term.pattern, values);
      return tl::unexpected(
          Error{ErrorKind::kNotFound,
                fmt::format("--only {}={} matches nothing in the study", key, term.pattern),
                {},
                near.empty() ? "" : fmt::format("Did you mean '{}'?", near)});
    }
  }
  return {};
}

}  // namespace crossbind::plan
