// The head of an HTTP request before it is parsed: bounded, free of control characters, without a
// body behind it, and with no header but those that the server knows. What HTTP libraries do with
// the others (ranges, encodings, expectations) cannot then be asked for.
#pragma once

#include <string>
#include <string_view>

#include "serve/message.h"

namespace crossbind::serve {

inline constexpr size_t kMostHead = size_t{16} << 10;  // bytes
inline constexpr size_t kMostLine = size_t{4} << 10;   // of the request line, the URL in it

inline constexpr std::string_view kHeadEnd = "\r\n\r\n";

// `head` ends with kHeadEnd, or is too long to. The head to parse, or the answer to one that is not
// to be.
[[nodiscard]] tl::expected<std::string, Response> checked_head(std::string_view head);

}  // namespace crossbind::serve
