// The connections of a server, by Boost.Asio. One thread reads and writes them all and waits for
// none; what is asked for is looked up by a few others. So clients that are slow, or that listen to
// events, hold up nobody; those that take too long are let go. A connection is for one request.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "process/endpoint.h"
#include "serve/message.h"

namespace crossbind::serve {

struct Limits {
  size_t connections = 256;  // at a time; more wait to be accepted
  size_t threads = 4;
  std::chrono::milliseconds patience{10'000};   // for a request, and for each part of an answer
  std::chrono::milliseconds heartbeat{15'000};  // between signs of life to those who listen
  size_t most_unread = size_t{256} << 10;       // bytes of events that a listener has not taken
};

class Connections {
 public:
  using Answer = std::function<Response(const Request&)>;

  // `answer` is called by several threads, `on_left` when a listener has gone.
  Connections(process::Listener listener,
              const Limits& limits,
              Answer answer,
              std::function<void()> on_left);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  ~Connections();  // waits for answers that are being made

  // Until the descriptor is readable; then at once.
  [[nodiscard]] Status serve(int stop_descriptor);

  // Sends an event to all who listen, and to those who come as the latest of its kind. Any thread.
  void publish(const std::string& kind, std::string event);

 private:
  class Loop;  // what includes Boost

  std::unique_ptr<Loop> loop_;
};

}  // namespace crossbind::serve
