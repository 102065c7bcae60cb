// Requests to a worker that has been welcomed, and its answers: events, then one reply. Ids are
// given here, and events that carry another are errors.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "checkup/subject.h"
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
  explicit Conversation(Subject subject) : subject_(std::move(subject)) {}

  template <typename Request>
  [[nodiscard]] Result<Answer> ask(Request request) {
    CB_TRY(begin(std::move(request)));
    return finish();
  }

  // Sends a request without waiting for anything.
  template <typename Request>
  [[nodiscard]] Status begin(Request request) {
    request.id = ++id_;
    return guarded(subject_.send(request));
  }
  // Likewise one that is written out as a JSON object, without its id.
  [[nodiscard]] Status begin_raw(std::string_view object);

  // The next message of the request in progress, its reply included.
  [[nodiscard]] Result<protocol::Event> next();
  // What is left of the answer.
  [[nodiscard]] Result<Answer> finish();

  [[nodiscard]] Status cancel() { return guarded(subject_.send(protocol::Cancel{id_})); }
  [[nodiscard]] Status say_bye() { return guarded(subject_.send(protocol::Bye{})); }

  // Nothing more can come of it: the worker is gone, silent, or said what is no message.
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] Subject& subject() { return subject_; }

 private:
  template <typename T>
  [[nodiscard]] Result<T> guarded(Result<T> result) {
    is_over_ = is_over_ || !result;
    return result;
  }

  Subject subject_;
  protocol::RequestId id_ = 0;
  bool is_over_ = false;
};

// "done", "unsupported: layer gru", "failed (bad_input): ...".
[[nodiscard]] std::string describe(const Reply& reply);

[[nodiscard]] bool is_reply(const protocol::Event& event);

// What a reply must be. The errors say what came instead.
[[nodiscard]] Result<protocol::Done> expect_done(const Answer& answer);
[[nodiscard]] Status expect_failure(const Answer& answer, protocol::FailureCode code);

}  // namespace crossbind::checkup
