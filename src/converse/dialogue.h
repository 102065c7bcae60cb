// A conversation with a worker, request by request: what it answers, or why there is no answer.
// Knows nothing of what is asked.
#pragma once

#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <variant>

#include "base/error.h"
#include "converse/worker.h"
#include "process/stop_signal.h"
#include "protocol/messages.h"

namespace crossbind::converse {

// Why a conversation went no further.
struct Failure {
  std::string reason;  // empty: the worker is gone, and its end says why
};
struct Lack {
  std::string feature;
};
struct Stopped {};
using Setback = std::variant<Failure, Lack, Stopped>;

template <typename T>
using Attempt = tl::expected<T, Setback>;

[[nodiscard]] inline tl::unexpected<Setback> because(Setback setback) {
  return tl::unexpected<Setback>(std::move(setback));
}

// What a failure comes to once the worker has ended: the worker's own words, or its end where that
// explains more.
[[nodiscard]] std::string explain(const Failure& failure, const process::End& end);
// The text as one line of bounded length that does nothing to a terminal.
[[nodiscard]] std::string one_line(std::string text);

class Dialogue {
 public:
  // An event that is no reply; an error ends the request.
  using OnEvent = std::function<Status(const protocol::Event&)>;

  Dialogue(Worker& worker, const process::StopSignal& stop) : worker_(worker), stop_(stop) {}

  [[nodiscard]] Attempt<protocol::Hello> greet();
  // `request` has an id. An interruption cancels it, and gives the worker a moment to do so.
  [[nodiscard]] Attempt<protocol::Done> ask(const protocol::Request& request,
                                            const OnEvent& on_event);

 private:
  [[nodiscard]] Attempt<std::optional<protocol::Done>> take(protocol::Event& event,
                                                            protocol::RequestId id,
                                                            const OnEvent& on_event);
  void cancel(protocol::RequestId id);

  Worker& worker_;
  const process::StopSignal& stop_;
};

// How a worker is to be let go after a conversation that ended so.
template <typename T>
[[nodiscard]] Worker::Leave leave_after(const Attempt<T>& step) {
  if (step) {
    return Worker::Leave::kByItself;
  }
  const auto* failure = std::get_if<Failure>(&step.error());
  const bool is_gone = failure != nullptr && failure->reason.empty();
  return is_gone ? Worker::Leave::kByItself : Worker::Leave::kNow;
}

}  // namespace crossbind::converse
