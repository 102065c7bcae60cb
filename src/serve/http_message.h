// What requests and answers are in HTTP 1.1, by Boost.Beast: a parsed head to a request or to the
// answer that refuses it, an answer to bytes with the headers that every one has. No sockets:
// connections.h has them.
#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <string>

#include "serve/message.h"

namespace crossbind::serve {

inline constexpr size_t kMostHead = size_t{16} << 10;  // bytes
inline constexpr size_t kMostLine = size_t{4} << 10;   // of the request line, the URL in it

// Parses a request's head; nothing is read beyond it, so a request has no body.
using HeadParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

// Sets the parser's limits.
void limit(HeadParser& parser);

// What a head asks for, once it is parsed.
[[nodiscard]] tl::expected<Request, Response> request_in(const HeadParser& parser);

// The answer to a head that could not be parsed; none where the client has gone or was too slow.
[[nodiscard]] std::optional<Response> refusal_of(const boost::beast::error_code& error,
                                                 const HeadParser& parser);

// The bytes of an answer, which is the last of its connection. To a HEAD request it has no body.
[[nodiscard]] std::string bytes_of(const Response& response, bool has_body);

}  // namespace crossbind::serve
