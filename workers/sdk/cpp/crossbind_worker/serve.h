// The worker's side of a conversation with crossbind: connects, greets, hands requests to a binding
// and sends what it answers. protocol/PROTOCOL.md is the specification.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <variant>

#include "base/error.h"
#include "process/line_channel.h"
#include "protocol/messages.h"

namespace crossbind::worker {

using Reply = std::variant<protocol::Done, protocol::Unsupported, protocol::Failed>;

// The connection as a binding sees it while it works on a request.
class Conversation {
 public:
  explicit Conversation(process::LineChannel channel) : channel_(std::move(channel)) {}

  // An event of the request in progress; its id is filled in.
  void send(protocol::Event event);

  // Whether crossbind asked to give this request up; to be asked between two batches.
  [[nodiscard]] bool is_cancelled();

 private:
  friend class Server;

  [[nodiscard]] protocol::Request next_request();
  void take(const std::string& line);
  void begin(protocol::RequestId id);

  process::LineChannel channel_;
  protocol::RequestId current_ = 0;
  bool is_cancelled_ = false;
};

// What a binding implements. An Error becomes a reply by its kind: kUnsupported names the missing
// feature, kInvalid is a bad request, the others are bad input.
class Binding {
 public:
  virtual ~Binding() = default;

  [[nodiscard]] virtual Result<protocol::Done> prepare(const protocol::Prepare& request) = 0;
  [[nodiscard]] virtual Result<Reply> train(const protocol::Train& request,
                                            Conversation& conversation) = 0;
  [[nodiscard]] virtual Result<Reply> infer(const protocol::Infer& request,
                                            Conversation& conversation) = 0;
  [[nodiscard]] virtual Result<Reply> probe(const protocol::Probe& request) = 0;
  [[nodiscard]] virtual Result<Reply> query(const protocol::Query& /*request*/) {
    return fail(ErrorKind::kUnsupported, "queries");
  }
  [[nodiscard]] virtual Result<Reply> serialize(const protocol::Serialize& request) {
    return fail(ErrorKind::kUnsupported, "format {}", name_in(trial::kFormats, request.format));
  }

  // The reply when the framework threw.
  [[nodiscard]] virtual protocol::Failed failure_of(const std::exception& error) const;
};

// The reply when a file cannot be written: not the request's fault, nor that of a file it names.
[[nodiscard]] protocol::Failed cannot_write(const Error& error);

// The reply when something that was computed, "the loss" or "an output", is not finite.
[[nodiscard]] protocol::Failed not_finite(const std::string& what);

// Serves until crossbind says bye or goes away. The token of `hello` is filled in. Returns the exit
// code: 2 without an endpoint in the environment, 1 when the connection or the greeting fails or a
// line is no message.
[[nodiscard]] int serve(Binding& binding, protocol::Hello hello);

}  // namespace crossbind::worker
