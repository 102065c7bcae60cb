#include "serve/connections.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "serve/request_head.h"

namespace crossbind::serve {
namespace {

constexpr size_t kPiece = size_t{16} << 10;
// How long a client may go on sending after it was answered. Were the connection closed while it
// does, the answer could be lost.
constexpr auto kLinger = std::chrono::milliseconds(1000);
// A client that has had its connection for so long without a whole request makes room for others.
constexpr auto kLeastPatience = std::chrono::milliseconds(500);
constexpr auto kRest = std::chrono::milliseconds(100);
// A client may take so many times its patience for a whole answer.
constexpr int kWholeAnswer = 12;
constexpr std::string_view kHeartbeat = ": still here\n\n";

enum class State {
  kReading,    // the head of its request
  kWaiting,    // for the answer
  kWriting,    // it
  kListening,  // to events
  kLingering,  // answered
};

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

struct Connections::Connection {
  process::FileDescriptor socket;
  State state = State::kReading;
  Clock::time_point since;
  Clock::time_point deadline;
  Clock::time_point last_deadline = Clock::time_point::max();  // of the whole answer
  std::string received;
  std::string unsent;
  size_t sent = 0;  // of these
  bool is_stream = false;

  [[nodiscard]] short wanted() const {
    switch (state) {
      case State::kReading:
      case State::kLingering:
        return POLLIN;
      case State::kWaiting:
        return 0;
      case State::kWriting:
        return POLLOUT;
      case State::kListening:
        return static_cast<short>(unsent.empty() ? POLLIN : POLLIN | POLLOUT);
    }
    return 0;
  }
  // Whether it is this client that is waited for.
  [[nodiscard]] bool has_deadline() const {
    return state != State::kWaiting && !(state == State::kListening && unsent.empty());
  }
};

Connections::Connections(process::Listener listener,
                         const Limits& limits,
                         Handle handle,
                         std::function<void()> on_left)
    : listener_(std::move(listener)),
      limits_(limits),
      handle_(std::move(handle)),
      on_left_(std::move(on_left)),
      woken_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      workers_(limits.threads) {}

Connections::~Connections() = default;

Status Connections::serve(int stop_descriptor) {
  std::vector<pollfd> polled;
  std::vector<uint64_t> ids;
  while (true) {
    const bool has_room =
        connections_.size() < limits_.connections && Clock::now() >= accepting_after_;
    polled = {{stop_descriptor, POLLIN, 0},
              {woken_.get(), POLLIN, 0},
              {listener_.descriptor(), static_cast<short>(has_room ? POLLIN : 0), 0}};
    const size_t first = polled.size();
    ids.clear();
    for (const auto& [id, connection] : connections_) {
      const short wanted = connection->wanted();
      // Of one that is waiting for us nothing is asked, not even whether it is still there.
      polled.push_back({wanted == 0 ? -1 : connection->socket.get(), wanted, 0});
      ids.push_back(id);
    }
    if (::poll(polled.data(), polled.size(), time_to_wait()) < 0 && errno != EINTR) {
      return fail_errno("cannot wait for", "connections");
    }
    if (polled[0].revents != 0) {
      return {};
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      attend(ids[i], polled[first + i].revents);
    }
    take_news();
    close_overdue();
    make_room();
    if (has_room) {
      accept_all();
    }
  }
}

void Connections::attend(uint64_t id, short events) {
  if (events == 0) {
    return;
  }
  auto& connection = *connections_.at(id);
  if ((events & POLLOUT) != 0) {
    write(id, connection);
  } else {
    read(id, connection);
  }
}

void Connections::accept_all() {
  while (connections_.size() < limits_.connections) {
    auto accepted = listener_.accept(std::chrono::milliseconds(0));
    if (!accepted) {
      accepting_after_ = Clock::now() + kRest;  // the system is short of something
      return;
    }
    if (!std::holds_alternative<process::FileDescriptor>(*accepted)) {
      return;
    }
    auto connection = std::make_unique<Connection>();
    connection->socket = std::move(std::get<process::FileDescriptor>(*accepted));
    connection->since = Clock::now();
    connection->deadline = connection->since + limits_.patience;
    connections_.emplace(++last_id_, std::move(connection));
  }
}

void Connections::make_room() {
  if (connections_.size() < limits_.connections) {
    return;
  }
  const auto now = Clock::now();
  std::vector<uint64_t> slow;
  for (const auto& [id, connection] : connections_) {
    if (connection->state == State::kReading && now - connection->since > kLeastPatience) {
      slow.push_back(id);
    }
  }
  for (const uint64_t id : slow) {
    close(id);
  }
}

void Connections::read(uint64_t id, Connection& connection) {
  std::array<char, kPiece> piece{};
  const ssize_t count = ::recv(connection.socket.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (count < 0 && would_block()) {
    return;
  }
  if (count <= 0) {
    close(id);
    return;
  }
  if (connection.state != State::kReading) {
    return;  // what comes after a request is not looked at
  }
  connection.received.append(piece.data(), static_cast<size_t>(count));
  const size_t end = connection.received.find(kHeadEnd);
  if (end == std::string::npos && connection.received.size() <= kMostHead) {
    return;
  }
  connection.state = State::kWaiting;
  std::string head = std::move(connection.received);
  connection.received.clear();
  if (end != std::string::npos) {
    head.resize(end + kHeadEnd.size());
  }
  workers_.add([this, id, head = std::move(head)] {
    Reply reply = handle_(head);
    const std::lock_guard lock(mutex_);
    replies_.push_back({id, std::move(reply)});
    wake();
  });
}

void Connections::write(uint64_t id, Connection& connection) {
  const std::string_view rest = std::string_view(connection.unsent).substr(connection.sent);
  const ssize_t count =
      ::send(connection.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0 && would_block()) {
    return;
  }
  if (count < 0) {
    close(id);
    return;
  }
  connection.sent += static_cast<size_t>(count);
  connection.deadline = std::min(Clock::now() + limits_.patience, connection.last_deadline);
  if (connection.sent < connection.unsent.size()) {
    return;
  }
  connection.unsent.clear();
  connection.unsent.shrink_to_fit();
  connection.sent = 0;
  if (connection.is_stream) {
    connection.state = State::kListening;
    return;
  }
  ::shutdown(connection.socket.get(), SHUT_WR);
  connection.state = State::kLingering;
  connection.deadline = Clock::now() + kLinger;
}

void Connections::take_news() {
  uint64_t count = 0;
  [[maybe_unused]] const auto drained = ::read(woken_.get(), &count, sizeof count);
  std::vector<Done> replies;
  std::vector<std::pair<std::string, std::string>> events;
  {
    const std::lock_guard lock(mutex_);
    replies.swap(replies_);
    events.swap(events_);
  }
  for (auto& [kind, event] : events) {
    tell_all(event);
    latest_[kind] = std::move(event);
  }
  for (auto& [id, reply] : replies) {
    auto& connection = *connections_.at(id);
    connection.unsent = std::move(reply.bytes);
    connection.is_stream = reply.is_stream;
    connection.state = State::kWriting;
    connection.deadline = Clock::now() + limits_.patience;
    connection.last_deadline = Clock::now() + kWholeAnswer * limits_.patience;
    if (reply.is_stream) {
      connection.last_deadline = Clock::time_point::max();
      // Whatever has happened while its answer was made.
      for (const auto& [kind, event] : latest_) {
        connection.unsent += event;
      }
    }
    write(id, connection);
  }
  if (Clock::now() - last_heartbeat_ >= limits_.heartbeat) {
    last_heartbeat_ = Clock::now();
    tell_all(std::string(kHeartbeat));
  }
}

void Connections::tell_all(const std::string& text) {
  std::vector<uint64_t> full;
  for (const auto& [id, connection] : connections_) {
    if (!connection->is_stream) {
      continue;
    }
    if (connection->unsent.empty()) {
      connection->deadline = Clock::now() + limits_.patience;
    }
    connection->unsent += text;
    if (connection->unsent.size() - connection->sent > limits_.most_unread) {
      full.push_back(id);
    }
  }
  for (const uint64_t id : full) {
    close(id);
  }
}

void Connections::close(uint64_t id) {
  const auto found = connections_.find(id);
  const bool was_stream = found->second->is_stream;
  connections_.erase(found);
  if (was_stream) {
    on_left_();
  }
}

void Connections::close_overdue() {
  const auto now = Clock::now();
  std::vector<uint64_t> overdue;
  for (const auto& [id, connection] : connections_) {
    if (connection->has_deadline() && connection->deadline <= now) {
      overdue.push_back(id);
    }
  }
  for (const uint64_t id : overdue) {
    close(id);
  }
}

int Connections::time_to_wait() const {
  auto next = last_heartbeat_ + limits_.heartbeat;
  for (const auto& [id, connection] : connections_) {
    if (connection->has_deadline()) {
      next = std::min(next, connection->deadline);
    }
  }
  if (connections_.size() >= limits_.connections || Clock::now() < accepting_after_) {
    next = std::min(next, Clock::now() + kRest);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

void Connections::publish(const std::string& kind, std::string event) {
  const std::lock_guard lock(mutex_);
  events_.emplace_back(kind, std::move(event));
  wake();
}

void Connections::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(woken_.get(), &one, sizeof one);
}

}  // namespace crossbind::serve
