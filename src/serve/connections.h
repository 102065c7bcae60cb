// The connections of a server. One thread reads and writes them all and waits for none: a request
// is handed to a worker when its head is there, an answer is sent as fast as its client takes it.
// So clients that are slow, or that listen to events, hold up nobody; those that take too long are
// let go. A connection is for one request. Knows no HTTP but where a head ends.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "process/endpoint.h"
#include "process/file_descriptor.h"
#include "serve/http_exchange.h"
#include "serve/worker_threads.h"

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
  using Handle = std::function<Reply(std::string_view head)>;

  // `handle` is called by several threads, `on_left` when a listener has gone.
  Connections(process::Listener listener,
              const Limits& limits,
              Handle handle,
              std::function<void()> on_left);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  ~Connections();

  // Until the descriptor is readable; then at once.
  [[nodiscard]] Status serve(int stop_descriptor);

  // Sends an event to all who listen, and to those who come as the latest of its kind. Any thread.
  void publish(const std::string& kind, std::string event);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection;
  struct Done {
    uint64_t id = 0;
    Reply reply;
  };

  void attend(uint64_t id, short events);
  void accept_all();
  void make_room();
  void read(uint64_t id, Connection& connection);
  void write(uint64_t id, Connection& connection);
  void take_news();
  void tell_all(const std::string& text);
  void close(uint64_t id);
  void close_overdue();
  void wake();
  [[nodiscard]] int time_to_wait() const;

  process::Listener listener_;
  Limits limits_;
  Handle handle_;
  std::function<void()> on_left_;
  process::FileDescriptor woken_;
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;
  uint64_t last_id_ = 0;
  Clock::time_point last_heartbeat_ = Clock::now();
  Clock::time_point accepting_after_ = Clock::time_point::min();
  std::map<std::string, std::string> latest_;  // event of each kind

  std::mutex mutex_;
  std::vector<Done> replies_;
  std::vector<std::pair<std::string, std::string>> events_;

  WorkerThreads workers_;  // last: they end first
};

}  // namespace crossbind::serve
