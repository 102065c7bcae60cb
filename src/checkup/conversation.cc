#include "checkup/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace crossbind::checkup {
namespace {

constexpr size_t kLastWords = 400;  // bytes shown of what it printed last

double seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
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

Result<protocol::Hello> Conversation::hear_hello() {
  CB_ASSIGN(auto event, event_of(worker_->hear_first(patience_, {})));
  if (auto* hello = std::get_if<protocol::Hello>(&event)) {
    return std::move(*hello);
  }
  return fail(ErrorKind::kInvalid, "the first message is no hello");
}

Status Conversation::begin_raw(std::string_view object) {
  return send_line(fmt::format(R"({{"id": {}, {})", ++id_, object.substr(1)));
}

Result<protocol::Event> Conversation::next() {
  CB_ASSIGN(auto event, event_of(worker_->receive(patience_, {})));
  if (protocol::id_of(event) != id_) {
    is_over_ = true;
    return fail(ErrorKind::kInvalid,
                "sent a message that belongs to no request in progress (its id is {}, not {})",
                protocol::id_of(event).value_or(0),
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

Result<process::End> Conversation::wait_for_end() {
  if (const auto end = worker_->program().wait_for_end(patience_)) {
    return *end;
  }
  static_cast<void>(worker_->program().end());
  return fail(ErrorKind::kInvalid, "still ran {:.0f} s later", seconds(patience_));
}

Status Conversation::sent(const Status& status) {
  if (!status) {
    is_over_ = true;
    return gone();
  }
  return {};
}

Result<protocol::Event> Conversation::event_of(Result<converse::Heard> heard) {
  auto* event = heard ? std::get_if<protocol::Event>(&*heard) : nullptr;
  if (event != nullptr) {
    return std::move(*event);
  }
  is_over_ = true;
  if (!heard) {
    return tl::unexpected(heard.error());
  }
  if (const auto* silent = std::get_if<converse::Silent>(&*heard)) {
    return fail(ErrorKind::kInvalid,
                "said nothing for {:.0f} s{}",
                seconds(patience_),
                converse::describe_unfinished(*silent));
  }
  return gone();
}

tl::unexpected<Error> Conversation::gone() {
  const auto end = wait_for_end();
  return fail(ErrorKind::kInvalid,
              "closed the connection: {}",
              end ? describe_end(*end) : end.error().message);
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

std::string describe_end(const process::End& end) {
  std::string_view log = end.log;
  while (!log.empty() && log.back() == '\n') {
    log.remove_suffix(1);
  }
  if (log.size() > kLastWords) {
    log.remove_prefix(log.size() - kLastWords);
    log.remove_prefix(std::min(log.find('\n') + 1, log.size()));
  }
  return log.empty() ? fmt::format("it {} and printed nothing", end.describe())
                     : fmt::format("it {} and printed: {}", end.describe(), log);
}

}  // namespace crossbind::checkup
