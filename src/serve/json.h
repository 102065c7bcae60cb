// JSON as the server answers with it. Only source files include this.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace crossbind::serve {

using Json = nlohmann::ordered_json;

// What is not UTF-8 becomes U+FFFD.
[[nodiscard]] inline std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace crossbind::serve
