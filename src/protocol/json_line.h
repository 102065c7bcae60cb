// What both directions of the codec share: a line to a JSON object, and on to a message by the word
// of its type.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "protocol/members.h"

namespace crossbind::protocol {

[[nodiscard]] Result<Json> parse_line(std::string_view line);
[[nodiscard]] std::string to_line(const Json& json);

template <typename Message>
struct MessageReader {
  std::string_view type;
  Message (*read)(Members&);
};

template <typename Message>
[[nodiscard]] Result<Message> decode(std::string_view line,
                                     std::span<const MessageReader<Message>> readers) {
  CB_ASSIGN(const Json json, parse_line(line));
  Members envelope(json, "message");
  const std::string type = envelope.text("type");
  CB_TRY(envelope.finish());
  for (const auto& reader : readers) {
    if (reader.type == type) {
      Members members(json, fmt::format("'{}' message", type));
      Message message = reader.read(members);
      CB_TRY(members.finish());
      return message;
    }
  }
  return fail(ErrorKind::kInvalid, "message of the unknown type {:?}", type.substr(0, 80));
}

}  // namespace crossbind::protocol
