#include "crossbind_worker/serve.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "process/endpoint.h"
#include "protocol/codec.h"

namespace crossbind::worker {
namespace {

using protocol::FailureCode;

constexpr std::chrono::milliseconds kNow{0};

// Without crossbind there is nobody to work for; whatever is in progress is abandoned.
[[noreturn]] void leave(int code, const std::string& reason) {
  if (!reason.empty()) {
    fmt::print(stderr, "worker: {}\n", reason);
  }
  std::fflush(nullptr);
  std::_Exit(code);
}

protocol::Failed failed(FailureCode code, std::string message) {
  return protocol::Failed{0, code, std::move(message)};
}

Reply reply_of(const Error& error) {
  if (error.kind == ErrorKind::kUnsupported) {
    return protocol::Unsupported{0, error.message};
  }
  return failed(
      error.kind == ErrorKind::kInvalid ? FailureCode::kBadRequest : FailureCode::kBadInput,
      error.to_string());
}

template <typename T>
Reply reply_of(Result<T> result) {
  if (!result) {
    return reply_of(result.error());
  }
  return Reply(std::move(*result));
}

}  // namespace

protocol::Failed cannot_write(const Error& error) {
  return failed(FailureCode::kInternal, error.to_string());
}

protocol::Failed not_finite(const std::string& what) {
  return failed(FailureCode::kNotFinite, what + " is not finite");
}

protocol::Failed Binding::failure_of(const std::exception& error) const {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr
             ? failed(FailureCode::kOutOfMemory, "out of memory")
             : failed(FailureCode::kInternal, error.what());
}

void Conversation::begin(protocol::RequestId id) {
  current_ = id;
  is_cancelled_ = false;
}

void Conversation::send(protocol::Event event) {
  std::visit(
      [&](auto& message) {
        if constexpr (requires { message.id; }) {
          message.id = current_;
        }
      },
      event);
  if (const auto sent = channel_.send_line(protocol::encode(event)); !sent) {
    leave(1, sent.error().to_string());
  }
}

// A line that came while a request runs: only cancel and bye may.
void Conversation::take(const std::string& line) {
  const auto request = protocol::decode_request(line);
  if (!request) {
    leave(1, request.error().to_string());
  }
  if (const auto* cancel = std::get_if<protocol::Cancel>(&*request)) {
    is_cancelled_ = is_cancelled_ || cancel->id == current_;
  } else if (std::holds_alternative<protocol::Bye>(*request)) {
    leave(0, "crossbind said bye during a request");
  } else {
    leave(1, "a request came before the reply to the one before");
  }
}

bool Conversation::is_cancelled() {
  while (true) {
    const auto received = channel_.receive_line(kNow);
    if (!received) {
      leave(1, received.error().to_string());
    }
    if (std::holds_alternative<process::Closed>(*received)) {
      leave(1, "the connection is closed");
    }
    const auto* line = std::get_if<std::string>(&*received);
    if (line == nullptr) {
      return is_cancelled_;
    }
    take(*line);
  }
}

protocol::Request Conversation::next_request() {
  while (true) {
    const auto received = channel_.receive_line(process::kForever);
    if (!received) {
      leave(1, received.error().to_string());
    }
    const auto* line = std::get_if<std::string>(&*received);
    if (line == nullptr) {
      leave(1, "the connection is closed");
    }
    auto request = protocol::decode_request(*line);
    if (request) {
      return std::move(*request);
    }
    const auto id = protocol::decode_request_id(*line);
    if (!id) {
      leave(1, id.error().to_string());
    }
    begin(*id);
    send(failed(FailureCode::kBadRequest, request.error().to_string()));
  }
}

class Server {
 public:
  Server(Binding& binding, Conversation& conversation)
      : binding_(binding),
        conversation_(conversation) {}

  int run() {
    const protocol::Request greeting = conversation_.next_request();
    if (!std::holds_alternative<protocol::Welcome>(greeting)) {
      const auto* bye = std::get_if<protocol::Bye>(&greeting);
      leave(EXIT_FAILURE, bye != nullptr ? bye->reason : "crossbind did not say welcome");
    }
    while (true) {
      const protocol::Request request = conversation_.next_request();
      if (std::holds_alternative<protocol::Bye>(request)) {
        return EXIT_SUCCESS;
      }
      if (!std::holds_alternative<protocol::Cancel>(request)) {  // too late: it has its reply
        answer(request);
      }
    }
  }

 private:
  void answer(const protocol::Request& request) {
    std::visit(
        [&](const auto& message) {
          if constexpr (requires { message.id; }) {
            conversation_.begin(message.id);
          }
        },
        request);
    Reply reply = guarded(request);
    std::visit([&](auto& message) { conversation_.send(std::move(message)); }, reply);
  }

  // Frameworks throw; a worker stays alive for the next request.
  Reply guarded(const protocol::Request& request) {
    try {
      return std::visit([&](const auto& message) { return dispatch(message); }, request);
    } catch (const std::exception& error) {
      return binding_.failure_of(error);
    }
  }

  Reply dispatch(const protocol::Prepare& request) { return reply_of(binding_.prepare(request)); }
  Reply dispatch(const protocol::Train& request) {
    return reply_of(binding_.train(request, conversation_));
  }
  Reply dispatch(const protocol::Infer& request) {
    return reply_of(binding_.infer(request, conversation_));
  }
  Reply dispatch(const protocol::Probe& request) { return reply_of(binding_.probe(request)); }
  Reply dispatch(const protocol::Query& request) { return reply_of(binding_.query(request)); }
  Reply dispatch(const protocol::Serialize& request) {
    return reply_of(binding_.serialize(request));
  }
  template <typename Other>
  Reply dispatch(const Other&) {
    return failed(FailureCode::kBadRequest, "this message has no place here");
  }

  Binding& binding_;
  Conversation& conversation_;
};

int serve(Binding& binding, protocol::Hello hello) {
  const char* endpoint = std::getenv(protocol::kEndpointVariable);
  const char* token = std::getenv(protocol::kTokenVariable);
  if (endpoint == nullptr) {
    fmt::print(stderr,
               "worker: {} is not set. crossbind starts this program and sets it; to try it by "
               "hand: crossbind worker check -- COMMAND\n",
               protocol::kEndpointVariable);
    return 2;
  }
  auto socket = process::connect(endpoint);
  if (!socket) {
    fmt::print(stderr, "worker: {}\n", socket.error().to_string());
    return EXIT_FAILURE;
  }
  Conversation conversation(process::LineChannel(std::move(*socket), protocol::kMaximumLine));
  hello.token = token == nullptr ? "" : token;
  conversation.send(std::move(hello));
  return Server(binding, conversation).run();
}

}  // namespace crossbind::worker
