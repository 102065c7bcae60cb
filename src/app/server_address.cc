#include "app/server_address.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "serve/access.h"

namespace crossbind::app {
namespace {

Result<ServerToken> checked(std::string text, const std::string& place) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  if (text.size() < serve::kLeastToken || !is_plain) {
    return tl::unexpected(Error{
        ErrorKind::kInvalid,
        fmt::format("the token must have {} or more characters, letters, digits and signs without "
                    "spaces",
                    serve::kLeastToken),
        place,
        "`openssl rand -hex 32` makes one; without --token-file and CROSSBIND_SERVE_TOKEN one is "
        "made and printed."});
  }
  return ServerToken{std::move(text), false};
}

}  // namespace

Result<ServerToken> server_token(const std::filesystem::path& file,
                                 const std::optional<std::string>& variable,
                                 const std::string& host) {
  if (!file.empty()) {
    auto content = read_file(file);
    if (!content) {
      return tl::unexpected(std::move(content).error().with_hint(
          "Put the token that clients must send into this file, or leave --token-file out: then "
          "one is made and printed."));
    }
    return checked(std::move(*content), file.string());
  }
  if (variable) {
    return checked(*variable, kTokenVariable);
  }
  return serve::is_loopback(host) ? ServerToken{} : ServerToken{serve::random_token(), true};
}

std::string server_url(const std::string& host,
                       const std::string& address,
                       const std::string& machine) {
  const std::string port = address.substr(address.rfind(':') + 1);
  const bool is_every = host == "0.0.0.0" || host == "::";
  const std::string& shown = is_every ? machine : host;
  return fmt::format(
      "http://{}:{}/", shown.find(':') == std::string::npos ? shown : "[" + shown + "]", port);
}

}  // namespace crossbind::app
