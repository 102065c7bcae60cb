#include "converse/dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "process/waiting.h"
#include "protocol/codec.h"

namespace crossbind::converse {
namespace {

using process::Ending;

constexpr std::chrono::milliseconds kCancelTimeout{5'000};
constexpr size_t kLongestReason = 1000;

std::string describe_end(const process::End& end) {
  if (end.ending == Ending::kStopped) {  // by us, after it had closed its side
    return "closed the connection before it had answered, and did not exit";
  }
  return end.describe() + (end.ending == Ending::kExited ? " before it had answered" : "");
}

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; }, ' ');
  if (text.size() > kLongestReason) {
    size_t end = kLongestReason;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;  // not inside a character
    }
    text.resize(end);
    text += "...";
  }
  return text;
}

std::string explain(const Failure& failure, const process::End& end) {
  const bool was_limited = end.ending == Ending::kMemoryLimit || end.ending == Ending::kDeadline;
  return failure.reason.empty() || was_limited ? describe_end(end) : failure.reason;
}

Attempt<protocol::Hello> Dialogue::greet() {
  auto heard = worker_.greet(stop_.orderly());
  if (!heard) {
    return because(Failure{heard.error().to_string()});
  }
  if (std::holds_alternative<Interrupted>(*heard)) {
    return because(Stopped{});
  }
  auto* event = std::get_if<protocol::Event>(&*heard);
  if (event == nullptr) {
    return because(Failure{});
  }
  return std::get<protocol::Hello>(std::move(*event));
}

Attempt<protocol::Done> Dialogue::ask(const protocol::Request& request, const OnEvent& on_event) {
  const protocol::RequestId id = protocol::id_of(request).value();
  if (const auto sent = worker_.send(request); !sent) {
    return because(Failure{});
  }
  while (true) {
    auto heard = worker_.receive(process::kForever, stop_.orderly());
    if (!heard) {
      return because(Failure{heard.error().to_string()});
    }
    if (std::holds_alternative<Interrupted>(*heard)) {
      cancel(id);
      return because(Stopped{});
    }
    auto* event = std::get_if<protocol::Event>(&*heard);
    if (event == nullptr) {
      return because(Failure{});
    }
    auto reply = take(*event, id, on_event);
    if (!reply) {
      return because(reply.error());
    }
    if (*reply) {
      return std::move(**reply);
    }
  }
}

// An event of the request; the reply when it is one.
Attempt<std::optional<protocol::Done>> Dialogue::take(protocol::Event& event,
                                                      protocol::RequestId id,
                                                      const OnEvent& on_event) {
  if (protocol::id_of(event) != id) {
    return because(Failure{"sent a message that belongs to no request in progress"});
  }
  if (auto* done = std::get_if<protocol::Done>(&event)) {
    return std::move(*done);
  }
  if (const auto* unsupported = std::get_if<protocol::Unsupported>(&event)) {
    return unsupported->feature.empty()
               ? because(Failure{"does not support something, but does not say what"})
               : because(Lack{unsupported->feature});
  }
  if (const auto* failed = std::get_if<protocol::Failed>(&event)) {
    return because(Failure{
        fmt::format("{}: {}", name_in(protocol::kFailureCodes, failed->code), failed->message)});
  }
  if (const Status noted = on_event(event); !noted) {
    return because(Failure{noted.error().to_string()});
  }
  return std::nullopt;
}

// Gives the worker a chance to end in order; whatever it answers, nothing is stored.
void Dialogue::cancel(protocol::RequestId id) {
  const process::Deadline deadline(kCancelTimeout);
  if (!worker_.send(protocol::Cancel{id})) {
    return;
  }
  while (const int left = deadline.milliseconds_left()) {
    const auto heard = worker_.receive(std::chrono::milliseconds(left), stop_.urgent());
    const auto* event = heard ? std::get_if<protocol::Event>(&*heard) : nullptr;
    if (event == nullptr || std::holds_alternative<protocol::Failed>(*event) ||
        std::holds_alternative<protocol::Done>(*event)) {
      return;
    }
  }
}

}  // namespace crossbind::converse
