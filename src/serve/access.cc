#include "serve/access.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace crossbind::serve {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr std::string_view kCookie = "crossbind_session";

// "localhost:8000" -> "localhost", "[::1]:8000" -> "::1".
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    return end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

std::string_view cookie_in(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const size_t end = std::min(header.find(';'), header.size());
    std::string_view entry = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    entry.remove_prefix(std::min(entry.find_first_not_of(' '), entry.size()));
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

std::string random_token() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) {
    throw std::runtime_error("the system gives no random numbers");
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

bool are_equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<Response> Access::refuse_host(const Request& request) const {
  if (!rules_.loopback_only || is_loopback(without_port(request.host))) {
    return std::nullopt;
  }
  return problem(421, "this server answers to 127.0.0.1, localhost and [::1] only");
}

std::optional<Response> Access::refuse_stranger(const Request& request) const {
  if (rules_.token.empty()) {
    return std::nullopt;
  }
  const std::string_view sent = request.authorization;
  if (sent.starts_with(kBearer) && are_equal(sent.substr(kBearer.size()), rules_.token)) {
    return std::nullopt;
  }
  if (are_equal(cookie_in(request.cookie, kCookie), rules_.session)) {
    return std::nullopt;
  }
  return problem(401,
                 "this server wants its token, as 'Authorization: Bearer TOKEN'",
                 {"WWW-Authenticate", "Bearer"});
}

Response Access::open_session() const {
  Response response{204, "", "", {}, false};
  if (!rules_.token.empty()) {
    response.headers.push_back(
        {"Set-Cookie",
         fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", kCookie, rules_.session)});
  }
  return response;
}

}  // namespace crossbind::serve
