// For tests: connections that are served by a thread, with an answer that the test gives.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <semaphore>
#include <thread>

#include "serve/connections.h"
#include "serve/raw_client.h"
#include "testing/testing.h"

namespace crossbind::serve {

class RunningConnections {
 public:
  explicit RunningConnections(Connections::Answer answer, const Limits& limits = {})
      : RunningConnections(
            process::Listener::listen_tcp("127.0.0.1", 0).value(), std::move(answer), limits) {}
  RunningConnections(const RunningConnections&) = delete;
  RunningConnections& operator=(const RunningConnections&) = delete;
  ~RunningConnections() { stop(); }

  void stop() {
    if (thread_.joinable()) {
      const uint64_t one = 1;
      EXPECT_EQ(::write(stop_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
      thread_.join();
    }
  }
  [[nodiscard]] RawClient client() const { return RawClient(address_); }
  // All that comes until the server closes the connection.
  [[nodiscard]] std::string ask(const std::string& bytes) const {
    return client().send(bytes).read_all();
  }
  void publish(const std::string& kind, const std::string& event) {
    connections_.publish(kind, event);
  }
  // Until one more listener has gone.
  void wait_for_leaver() { left_.acquire(); }

 private:
  RunningConnections(process::Listener listener, Connections::Answer answer, const Limits& limits)
      : address_(listener.address()),
        connections_(std::move(listener), limits, std::move(answer), [this] { left_.release(); }) {}

  std::string address_;
  process::FileDescriptor stop_{::eventfd(0, EFD_CLOEXEC)};
  std::counting_semaphore<> left_{0};
  Connections connections_;
  std::thread thread_{[this] { EXPECT_THAT(connections_.serve(stop_.get()), testing::is_ok()); }};
};

}  // namespace crossbind::serve
