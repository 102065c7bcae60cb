#include "serve/query.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace crossbind::serve {

Result<Query> Query::read(const Request& request, const std::vector<std::string_view>& allowed) {
  for (const auto& parameter : request.query) {
    const std::string& name = parameter.name;
    if (std::ranges::find(allowed, name) == allowed.end()) {
      return allowed.empty() ? fail(ErrorKind::kInvalid, "this takes no parameter")
                             : fail(ErrorKind::kInvalid,
                                    "there is no parameter '{}' here; there are {}",
                                    name,
                                    fmt::join(allowed, ", "));
    }
    if (std::ranges::count(request.query, name, &Parameter::name) > 1) {
      return fail(ErrorKind::kInvalid, "the parameter '{}' stands there twice", name);
    }
  }
  return Query(request.query);
}

std::optional<std::string> Query::given(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  return found == parameters_.end() ? std::nullopt : std::optional(found->value);
}

std::optional<std::string> Query::text(std::string_view name) const {
  auto value = given(name);
  return value && value->empty() ? std::nullopt : value;
}

Result<std::string> Query::needed(std::string_view name) const {
  auto value = text(name);
  if (!value) {
    return fail(ErrorKind::kInvalid, "the parameter '{}' is missing", name);
  }
  return *value;
}

Result<int64_t> Query::number(std::string_view name,
                              int64_t otherwise,
                              int64_t low,
                              int64_t high) const {
  const auto value = given(name);
  if (!value) {
    return otherwise;
  }
  int64_t number = 0;
  const char* end = value->data() + value->size();
  const auto [stopped, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc() || stopped != end || number < low || number > high) {
    return fail(ErrorKind::kInvalid,
                "the parameter '{}' must be a whole number from {} to {}, not '{}'",
                name,
                low,
                high,
                *value);
  }
  return number;
}

Result<std::string> Query::one_of(std::string_view name,
                                  const std::string& otherwise,
                                  const std::vector<std::string>& words) const {
  const std::string value = given(name).value_or(otherwise);
  if (std::ranges::find(words, value) == words.end()) {
    return fail(ErrorKind::kInvalid,
                "the parameter '{}' must be one of {}, not '{}'",
                name,
                fmt::join(words, ", "),
                value);
  }
  return value;
}

}  // namespace crossbind::serve
