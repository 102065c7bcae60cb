#include "checkup/conversation.h"

#include <fmt/format.h>

#include <optional>

namespace crossbind::checkup {
namespace {

std::optional<protocol::RequestId> id_of(const protocol::Event& event) {
  return std::visit(
      [](const auto& message) -> std::optional<protocol::RequestId> {
        if constexpr (requires { message.id; }) {
          return message.id;
        }
        return std::nullopt;
      },
      event);
}

std::optional<Reply> as_reply(const protocol::Event& event) {
  return std::visit(
      [](const auto& message) -> std::optional<Reply> {
        if constexpr (std::is_constructible_v<Reply, decltype(message)>) {
          return message;
        }
        return std::nullopt;
      },
      event);
}

}  // namespace

Status Conversation::begin_raw(std::string_view object) {
  return guarded(subject_.send_line(fmt::format(R"({{"id": {}, {})", ++id_, object.substr(1))));
}

Result<protocol::Event> Conversation::next() {
  auto event = guarded(subject_.receive());
  if (event && id_of(*event) != id_) {
    is_over_ = true;
    return fail(ErrorKind::kInvalid,
                "sent a message that belongs to no request in progress (its id is {}, not {})",
                id_of(*event).value_or(0),
                id_);
  }
  return event;
}

Result<Answer> Conversation::finish() {
  Answer answer;
  while (true) {
    CB_ASSIGN(auto event, next());
    if (auto reply = as_reply(event)) {
      answer.reply = std::move(*reply);
      return answer;
    }
    answer.events.push_back(std::move(event));
  }
}

bool is_reply(const protocol::Event& event) {
  return as_reply(event).has_value();
}

std::string describe(const Reply& reply) {
  if (const auto* unsupported = std::get_if<protocol::Unsupported>(&reply)) {
    return fmt::format("unsupported: {}", unsupported->feature);
  }
  if (const auto* failed = std::get_if<protocol::Failed>(&reply)) {
    return fmt::format(
        "failed ({}): {}", name_in(protocol::kFailureCodes, failed->code), failed->message);
  }
  return "done";
}

Result<protocol::Done> expect_done(const Answer& answer) {
  if (const auto* done = std::get_if<protocol::Done>(&answer.reply)) {
    return *done;
  }
  return fail(ErrorKind::kInvalid, "expected done, came {}", describe(answer.reply));
}

Status expect_failure(const Answer& answer, protocol::FailureCode code) {
  const auto* failed = std::get_if<protocol::Failed>(&answer.reply);
  if (failed != nullptr && failed->code == code) {
    return {};
  }
  return fail(ErrorKind::kInvalid,
              "expected failed ({}), came {}",
              name_in(protocol::kFailureCodes, code),
              describe(answer.reply));
}

}  // namespace crossbind::checkup
