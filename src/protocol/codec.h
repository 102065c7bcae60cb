// Messages to lines and back: the only place that knows field names. A line is a JSON object
// without its line feed. Decoding checks every member; what it cannot read is an error that names
// the message and the member, never a guess.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "protocol/messages.h"

namespace crossbind::protocol {

[[nodiscard]] std::string encode(const Request& request);
[[nodiscard]] std::string encode(const Event& event);

[[nodiscard]] Result<Request> decode_request(std::string_view line);
[[nodiscard]] Result<Event> decode_event(std::string_view line);

// The id of a request that decode_request() cannot read, for the reply; an error when the line is
// no message at all.
[[nodiscard]] Result<RequestId> decode_request_id(std::string_view line);

}  // namespace crossbind::protocol
