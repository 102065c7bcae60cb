#include "protocol/json_line.h"

namespace crossbind::protocol {
namespace {

constexpr size_t kLongestQuotedLine = 120;

}  // namespace

Result<Json> parse_line(std::string_view line) {
  try {
    Json json = Json::parse(line);
    if (!json.is_object()) {
      return fail(ErrorKind::kInvalid,
                  "a line is no JSON object: {:?}",
                  line.substr(0, kLongestQuotedLine));
    }
    return json;
  } catch (const nlohmann::json::exception& error) {
    const bool is_nan = line.find("NaN") != std::string_view::npos ||
                        line.find("Infinity") != std::string_view::npos;
    return fail(ErrorKind::kInvalid,
                "a line is no JSON{}: {:?}{}",
                is_nan ? " (a number that is not finite has no place in it)" : "",
                line.substr(0, kLongestQuotedLine),
                line.size() > kLongestQuotedLine ? "..." : "");
  }
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace crossbind::protocol
