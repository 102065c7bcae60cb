#include "serve/connections.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "serve/http_message.h"

namespace crossbind::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using beast::error_code;
using Clock = std::chrono::steady_clock;

// How long a client may go on sending after it was answered. Were the connection closed while it
// does, the answer could be lost.
constexpr auto kLinger = std::chrono::milliseconds(1000);
// A client that has had its connection for so long without a whole request makes room for others.
constexpr auto kLeastPatience = std::chrono::milliseconds(500);
constexpr auto kRest = std::chrono::milliseconds(100);
// A client may take so many times its patience for a whole answer.
constexpr int kWholeAnswer = 12;
constexpr std::string_view kHeartbeat = ": still here\n\n";

struct Connection {
  beast::tcp_stream stream;
  Clock::time_point since = Clock::now();
  Clock::time_point last_deadline = Clock::time_point::max();  // of the whole answer
  bool is_reading = true;                                      // the head of its request
  bool is_stream = false;                                      // it listens to events
  bool is_writing = false;
  size_t in_flight = 0;  // bytes of what is being written
  std::string unsent;    // what follows them
};

// What an operation under way uses is owned by its handler, and handlers find their connection by
// its id: so a connection can be closed at any time.
struct Head {
  beast::flat_buffer buffer{kMostHead};
  HeadParser parser;
};
struct Sending {
  std::string bytes;
  size_t sent = 0;
};
using Dropped = std::array<char, 1024>;

}  // namespace

class Connections::Loop {
 public:
  Loop(process::Listener listener,
       const Limits& limits,
       Answer answer,
       std::function<void()> on_left)
      : listener_(std::move(listener)),
        limits_(limits),
        answer_(std::move(answer)),
        on_left_(std::move(on_left)),
        workers_(limits.threads) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    workers_.stop();
    workers_.join();
  }

  Status run(int stop_descriptor);
  void publish(const std::string& kind, std::string event);

 private:
  void accept_next();
  void make_room();
  void keep_beating();
  void begin(tcp::socket socket);
  void read_head(uint64_t id);
  void look_up(uint64_t id, Request request);
  void send(uint64_t id, std::string reply, bool is_stream);
  void write(uint64_t id, std::unique_ptr<Sending> sending);
  void go_on(uint64_t id, Connection& connection);
  void write_unsent(uint64_t id, Connection& connection);
  void drop_received(uint64_t id, std::unique_ptr<Dropped> dropped);
  void tell_all(const std::string& text);
  void close(uint64_t id);
  // Null where the connection was closed.
  [[nodiscard]] Connection* find(uint64_t id);
  [[nodiscard]] bool is_full() const { return connections_.size() >= limits_.connections; }

  process::Listener listener_;
  Limits limits_;
  Answer answer_;
  std::function<void()> on_left_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::posix::stream_descriptor stopped_{io_};
  asio::steady_timer rest_{io_};
  asio::steady_timer heart_{io_};
  bool is_accepting_ = false;  // or rests before it does
  std::map<uint64_t, Connection> connections_;
  uint64_t last_id_ = 0;
  std::map<std::string, std::string> latest_;  // event of each kind
  asio::thread_pool workers_;                  // has a job a connection at most
};

Status Connections::Loop::run(int stop_descriptor) {
  const bool is_v6 = listener_.address().find('[') != std::string::npos;
  error_code error;
  acceptor_.assign(is_v6 ? tcp::v6() : tcp::v4(), ::dup(listener_.descriptor()), error);
  if (!error) {
    stopped_.assign(::dup(stop_descriptor), error);
  }
  if (error) {
    return fail(ErrorKind::kIo, "cannot wait for connections: {}", error.message());
  }
  stopped_.async_wait(asio::posix::descriptor_base::wait_read,
                      [this](const error_code&) { io_.stop(); });
  keep_beating();
  accept_next();
  io_.run();
  return {};
}

void Connections::Loop::accept_next() {
  if (is_accepting_ || is_full()) {
    return;
  }
  is_accepting_ = true;
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error) {  // the system is short of something
      rest_.expires_after(kRest);
      rest_.async_wait([this](const error_code&) {
        is_accepting_ = false;
        accept_next();
      });
      return;
    }
    is_accepting_ = false;
    begin(std::move(socket));
    is_full() ? make_room() : accept_next();
  });
}

// Looks again while there is no room.
void Connections::Loop::make_room() {
  const auto now = Clock::now();
  std::vector<uint64_t> slow;
  for (const auto& [id, connection] : connections_) {
    if (connection.is_reading && now - connection.since > kLeastPatience) {
      slow.push_back(id);
    }
  }
  for (const uint64_t id : slow) {
    close(id);
  }
  if (is_full()) {
    rest_.expires_after(kRest);
    rest_.async_wait([this](const error_code& error) {
      if (!error && is_full()) {
        make_room();
      }
    });
  }
}

void Connections::Loop::keep_beating() {
  heart_.expires_after(limits_.heartbeat);
  heart_.async_wait([this](const error_code&) {
    tell_all(std::string(kHeartbeat));
    keep_beating();
  });
}

void Connections::Loop::begin(tcp::socket socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);  // programs that are started do not have it
  const uint64_t id = ++last_id_;
  connections_.emplace(id, Connection{beast::tcp_stream(std::move(socket))});
  read_head(id);
}

void Connections::Loop::read_head(uint64_t id) {
  auto& stream = find(id)->stream;
  stream.expires_after(limits_.patience);
  auto head = std::make_unique<Head>();
  limit(head->parser);
  auto& [buffer, parser] = *head;
  beast::http::async_read_header(
      stream, buffer, parser, [this, id, head = std::move(head)](const error_code& error, size_t) {
        auto* connection = find(id);
        if (connection == nullptr) {
          return;
        }
        connection->is_reading = false;
        const bool has_body = head->parser.get().method() != beast::http::verb::head;
        if (!error) {
          auto request = request_in(head->parser);
          request ? look_up(id, std::move(*request))
                  : send(id, bytes_of(request.error(), has_body), false);
        } else if (const auto refusal = refusal_of(error, head->parser)) {
          send(id, bytes_of(*refusal, has_body), false);
        } else {
          close(id);
        }
      });
}

void Connections::Loop::look_up(uint64_t id, Request request) {
  asio::post(workers_, [this, id, request = std::move(request)] {
    Response response;
    try {
      response = answer_(request);
    } catch (const std::exception& error) {
      response = problem(500, error.what());
    }
    asio::post(
        io_,
        [this,
         id,
         bytes = bytes_of(response, request.method != "HEAD"),
         is_stream = response.is_stream]() mutable { send(id, std::move(bytes), is_stream); });
  });
}

void Connections::Loop::send(uint64_t id, std::string reply, bool is_stream) {
  auto& connection = *find(id);  // nobody closes one that waits for its answer
  auto sending = std::make_unique<Sending>(Sending{std::move(reply), 0});
  connection.is_stream = is_stream;
  if (is_stream) {
    // Whatever has happened while its answer was made.
    for (const auto& [kind, event] : latest_) {
      sending->bytes += event;
    }
    // Who listens says no more; when it leaves, this ends.
    connection.stream.expires_never();
    drop_received(id, std::make_unique<Dropped>());
  } else {
    connection.last_deadline = Clock::now() + kWholeAnswer * limits_.patience;
  }
  write(id, std::move(sending));
}

void Connections::Loop::write(uint64_t id, std::unique_ptr<Sending> sending) {
  auto& connection = *find(id);
  const auto rest = asio::buffer(sending->bytes) + sending->sent;
  connection.is_writing = true;
  connection.in_flight = rest.size();
  connection.stream.expires_at(std::min(Clock::now() + limits_.patience, connection.last_deadline));
  connection.stream.async_write_some(
      rest,
      [this, id, sending = std::move(sending)](const error_code& error, size_t count) mutable {
        auto* found = find(id);
        if (found == nullptr) {
          return;
        }
        sending->sent += count;
        if (error) {
          close(id);
        } else if (sending->sent < sending->bytes.size()) {
          write(id, std::move(sending));
        } else {
          go_on(id, *found);
        }
      });
}

// All of it was taken.
void Connections::Loop::go_on(uint64_t id, Connection& connection) {
  connection.is_writing = false;
  connection.in_flight = 0;
  if (connection.is_stream) {
    write_unsent(id, connection);
    return;
  }
  error_code gone;  // is noticed by what follows
  connection.stream.socket().shutdown(tcp::socket::shutdown_send, gone);
  connection.stream.expires_after(kLinger);
  drop_received(id, std::make_unique<Dropped>());
}

// Until the client closes the connection, or its time is over.
void Connections::Loop::drop_received(uint64_t id, std::unique_ptr<Dropped> dropped) {
  auto& stream = find(id)->stream;
  const auto room = asio::buffer(*dropped);
  stream.async_read_some(
      room, [this, id, dropped = std::move(dropped)](const error_code& error, size_t) mutable {
        if (find(id) == nullptr) {
          return;
        }
        error ? close(id) : drop_received(id, std::move(dropped));
      });
}

void Connections::Loop::write_unsent(uint64_t id, Connection& connection) {
  if (!connection.is_writing && !connection.unsent.empty()) {
    write(id, std::make_unique<Sending>(Sending{std::exchange(connection.unsent, {}), 0}));
  }
}

void Connections::Loop::tell_all(const std::string& text) {
  std::vector<uint64_t> full;
  for (auto& [id, connection] : connections_) {
    if (!connection.is_stream) {
      continue;
    }
    connection.unsent += text;
    if (connection.in_flight + connection.unsent.size() > limits_.most_unread) {
      full.push_back(id);
    } else {
      write_unsent(id, connection);
    }
  }
  for (const uint64_t id : full) {
    close(id);
  }
}

void Connections::Loop::close(uint64_t id) {
  const auto found = connections_.find(id);
  const bool was_stream = found->second.is_stream;
  connections_.erase(found);
  if (was_stream) {
    on_left_();
  }
  accept_next();
}

Connection* Connections::Loop::find(uint64_t id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : &found->second;
}

void Connections::Loop::publish(const std::string& kind, std::string event) {
  asio::post(io_, [this, kind, event = std::move(event)]() mutable {
    tell_all(event);
    latest_[kind] = std::move(event);
  });
}

Connections::Connections(process::Listener listener,
                         const Limits& limits,
                         Answer answer,
                         std::function<void()> on_left)
    : loop_(std::make_unique<Loop>(
          std::move(listener), limits, std::move(answer), std::move(on_left))) {}

Connections::~Connections() = default;

Status Connections::serve(int stop_descriptor) {
  return loop_->run(stop_descriptor);
}

void Connections::publish(const std::string& kind, std::string event) {
  loop_->publish(kind, std::move(event));
}

}  // namespace crossbind::serve
