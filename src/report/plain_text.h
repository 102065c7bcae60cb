// Text of others (names, reasons, logs) as text that every format can hold.
#pragma once

#include <string>
#include <string_view>

namespace crossbind::report {

// UTF-8 without control characters but line feeds and tabs: what is not UTF-8 becomes U+FFFD, and
// the colours and cursor movements of terminals go.
[[nodiscard]] std::string plain_text(std::string_view bytes);

[[nodiscard]] std::string html_text(std::string_view text);  // also in attributes with quotes

}  // namespace crossbind::report
