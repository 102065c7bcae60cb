// HTTP, by cpp-httplib: the bytes of a request to the bytes of its answer, with the headers that
// every answer has. No sockets: connections.h has them. The only file that includes httplib is
// http_exchange.cc.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "serve/message.h"

namespace crossbind::serve {

struct Reply {
  std::string bytes;
  bool is_stream = false;  // events follow until the connection is closed
};

// `head` as a client sent it, to the empty line, or to where it was too long.
[[nodiscard]] Reply reply_to(std::string_view head,
                             const std::function<Response(const Request&)>& answer);

}  // namespace crossbind::serve
