// JSON as every command prints it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace crossbind::cli {

// Indented, with a line end. A file name need not be UTF-8: what is not becomes U+FFFD.
template <typename Json>
[[nodiscard]] std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace crossbind::cli
