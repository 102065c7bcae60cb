// Who may ask: a request must name this server as its host when it listens on loopback alone, and
// bring the token where there is one. Knows no route but the one that gives out the cookie.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/message.h"

namespace crossbind::serve {

inline constexpr size_t kLeastToken = 16;  // characters

// "127.0.0.1", "::1" or "localhost".
[[nodiscard]] bool is_loopback(std::string_view host);

// 256 random bits in hexadecimal.
[[nodiscard]] std::string random_token();

// In a time that tells nothing but whether the lengths are the same.
[[nodiscard]] bool are_equal(std::string_view a, std::string_view b);

class Access {
 public:
  struct Rules {
    bool loopback_only = true;
    std::string token;    // empty: none is asked for
    std::string session;  // what the cookie holds that the token is exchanged for
  };

  explicit Access(Rules rules) : rules_(std::move(rules)) {}

  // A page of another site whose name has been made to lead here (DNS rebinding) comes with that
  // name.
  [[nodiscard]] std::optional<Response> refuse_host(const Request& request) const;
  [[nodiscard]] std::optional<Response> refuse_stranger(const Request& request) const;

  // The answer to a request that brought the token: a cookie that will do in its place.
  [[nodiscard]] Response open_session() const;

 private:
  Rules rules_;
};

}  // namespace crossbind::serve
