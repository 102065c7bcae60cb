// A worker that is checked: requests to it and its answers, events, then one reply; and its end.
// Ids are given here, and events that carry another are errors. Every wait is bounded. What an
// error says is a predicate of the worker: "did not connect within 60 s".
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "converse/worker.h"
#include "protocol/messages.h"

namespace crossbind::checkup {

using Reply = std::variant<protocol::Done, protocol::Unsupported, protocol::Failed>;

struct Answer {
  std::vector<protocol::Event> events;
  Reply reply;

  // The events of one type, in order.
  template <typename T>
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> found;
    for (const auto& event : events) {
      if (const auto* one = std::get_if<T>(&event)) {
        found.push_back(*one);
      }
    }
    return found;
  }
};

class Conversation {
 public:
  Conversation(std::unique_ptr<converse::Worker> worker, std::chrono::milliseconds patience)
      : worker_(std::move(worker)),
        patience_(patience) {}

  // What it must say in its hello.
  [[nodiscard]] const std::string& token() { return worker_->program().token(); }

  // Waits until it has connected and said hello. What the hello says is not judged here.
  [[nodiscard]] Result<protocol::Hello> hear_hello();
  [[nodiscard]] Status welcome() { return sent(worker_->welcome()); }

  template <typename Request>
  [[nodiscard]] Result<Answer> ask(Request request) {
    CB_TRY(begin(std::move(request)));
    return finish();
  }

  // Sends a request without waiting for anything.
  template <typename Request>
  [[nodiscard]] Status begin(Request request) {
    request.id = ++id_;
    return send(request);
  }
  // Sends a request that is written out as a JSON object, without its id; waits for nothing.
  [[nodiscard]] Status begin_raw(std::string_view object);

  // The next message of the request in progress, its reply included.
  [[nodiscard]] Result<protocol::Event> next();
  // What is left of the answer.
  [[nodiscard]] Result<Answer> finish();

  [[nodiscard]] Status cancel() { return send(protocol::Cancel{id_}); }
  [[nodiscard]] Status say_bye(const std::string& reason = {}) {
    return send(protocol::Bye{reason});
  }
  // A line that may be no message.
  [[nodiscard]] Status send_line(std::string_view line) { return sent(worker_->send_line(line)); }
  void hang_up() { worker_->program().hang_up(); }

  // How it ended by itself; an error, and no process, when it does not.
  [[nodiscard]] Result<process::End> wait_for_end();

  // Nothing more can come of it: the worker is gone, silent, or said what is no message.
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  [[nodiscard]] Status send(const protocol::Request& request) {
    return sent(worker_->send(request));
  }
  [[nodiscard]] Status sent(const Status& status);
  [[nodiscard]] Result<protocol::Event> event_of(Result<converse::Heard> heard);
  [[nodiscard]] tl::unexpected<Error> gone();

  std::unique_ptr<converse::Worker> worker_;
  std::chrono::milliseconds patience_;
  protocol::RequestId id_ = 0;
  bool is_over_ = false;
};

// "done", "unsupported: layer gru", "failed (bad_input): ...".
[[nodiscard]] std::string describe(const Reply& reply);

[[nodiscard]] bool is_reply(const protocol::Event& event);

// What a reply must be. The errors say what came instead.
[[nodiscard]] Result<protocol::Done> expect_done(const Answer& answer);
[[nodiscard]] Status expect_failure(const Answer& answer, protocol::FailureCode code);

// How a program ended, with the last lines that it printed.
[[nodiscard]] std::string describe_end(const process::End& end);

}  // namespace crossbind::checkup
