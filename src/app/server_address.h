// Who may ask the dashboard's server, and under which address browsers find it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"

namespace crossbind::app {

inline constexpr const char* kTokenVariable = "CROSSBIND_SERVE_TOKEN";

struct ServerToken {
  std::string text;      // empty: none is asked for
  bool is_made = false;  // just now, so that nobody knows it yet

  bool operator==(const ServerToken&) const = default;
};

// The token of the file; else that of the variable; else, where others than this machine can ask, a
// random one. What is too short or no plain text is refused.
[[nodiscard]] Result<ServerToken> server_token(const std::filesystem::path& file,
                                               const std::optional<std::string>& variable,
                                               const std::string& host);

// "tcp:127.0.0.1:8642" is where it listens, as `host`; a browser wants `machine`, a name, in place
// of "every address".
[[nodiscard]] std::string server_url(const std::string& host,
                                     const std::string& address,
                                     const std::string& machine);

}  // namespace crossbind::app
