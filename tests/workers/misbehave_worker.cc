// A worker that does one thing wrong: the first argument says which, the second names a file where
// its processes write themselves down, and with ".working" behind it, where they do so once they
// are asked to work. Each ends by itself after two minutes should a test fail.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "process/endpoint.h"
#include "process/line_channel.h"
#include "process/testdata/process_record.h"
#include "protocol/codec.h"

namespace crossbind {
namespace {

constexpr unsigned kLifetimeSeconds = 120;
constexpr size_t kMebibyte = size_t{1} << 20;

[[noreturn]] void stay() {
  while (true) {
    ::pause();
  }
}

// The connection, up to the point where a mode begins to misbehave.
class Crossbind {
 public:
  explicit Crossbind(const std::string& record)
      : record_(record),
        socket_(process::connect(std::getenv(protocol::kEndpointVariable)).value()),
        descriptor_(socket_.get()),
        channel_(std::move(socket_)) {}

  void greet(const std::function<void(protocol::Hello&)>& change = [](protocol::Hello&) {}) {
    protocol::Hello hello;
    hello.token = std::getenv(protocol::kTokenVariable);
    hello.binding = std::getenv("MISBEHAVE_BINDING");
    hello.capabilities.probe = trial::ProbeLevel::kNone;
    change(hello);
    send(hello);
  }

  // Answers as it should until it is in the middle of a training or an inference.
  void until_work() {
    greet();
    bool is_asked = false;
    while (!is_asked) {
      const protocol::Request next = request();
      is_asked = std::holds_alternative<protocol::Train>(next) ||
                 std::holds_alternative<protocol::Infer>(next);
    }
    send(protocol::Timings{.id = 2, .phase = protocol::Phase::kWarmup, .steps_ns = {1}});
    process::record_self(record_ + ".working");
  }

  void send(const protocol::Event& event) {
    if (!channel_.send_line(protocol::encode(event))) {
      std::exit(0);  // nobody listens any more
    }
  }

  [[nodiscard]] bool send_raw(const std::string& text) const {
    return ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }

  void close() const { ::shutdown(descriptor_, SHUT_RDWR); }

 private:
  protocol::Request request() {
    const auto received = channel_.receive_line(process::kForever);
    const auto* line = received ? std::get_if<std::string>(&*received) : nullptr;
    if (line == nullptr) {
      std::exit(0);
    }
    auto request = protocol::decode_request(*line).value();
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      send(protocol::Done{.id = prepare->id});
    }
    return request;
  }

  std::string record_;
  process::FileDescriptor socket_;
  int descriptor_;
  process::LineChannel channel_;
};

void crash(const std::string& record) {
  Crossbind(record).until_work();
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
}

void say(const std::string& record, const std::string& text) {
  Crossbind crossbind(record);
  crossbind.until_work();
  static_cast<void>(crossbind.send_raw(text));
  crossbind.close();
}

void say_endlessly(const std::string& record) {
  Crossbind crossbind(record);
  crossbind.until_work();
  const std::string piece(kMebibyte, 'x');
  for (int i = 0; i < 1024 && crossbind.send_raw(piece); ++i) {
  }
}

void hang(const std::string& record) {
  Crossbind crossbind(record);
  crossbind.until_work();
  stay();
}

void talk_on(const std::string& record) {
  Crossbind crossbind(record);
  crossbind.until_work();
  while (true) {
    crossbind.send(protocol::Progress{2, 1, 1, 2});
    ::usleep(10'000);
  }
}

void fill_log() {
  const std::string piece(kMebibyte, 'x');
  std::fputs("first words\n", stderr);
  for (int i = 0; i < 64; ++i) {
    std::fwrite(piece.data(), 1, piece.size(), stderr);
  }
  std::fputs("\nlast words\n", stderr);
  std::exit(5);
}

// At most 1.5 GiB, at most 1 GiB a second.
void eat(const std::string& record) {
  Crossbind crossbind(record);
  crossbind.until_work();
  for (int i = 0; i < 384; ++i) {
    std::memset(std::malloc(4 * kMebibyte), 1, 4 * kMebibyte);
    ::usleep(4000);
  }
  stay();
}

// Three children in sessions of their own.
void fork_and_exit(const std::string& record) {
  constexpr size_t kChildren = 3;
  const size_t before = process::records_in(record).size();
  for (size_t i = 0; i < kChildren; ++i) {
    if (::fork() == 0) {
      ::alarm(kLifetimeSeconds);  // not inherited
      ::setsid();
      process::record_self(record);
      stay();
    }
  }
  while (process::records_in(record).size() < before + kChildren) {
    ::usleep(1000);
  }
  std::exit(6);
}

void misbehave(const std::string& mode, const std::string& record) {
  const auto greet = [&](const std::function<void(protocol::Hello&)>& change) {
    Crossbind crossbind(record);
    crossbind.greet(change);
    stay();
  };
  const std::map<std::string, std::function<void()>> modes{
      {"exit", [] { std::exit(3); }},
      {"never-connect", stay},
      {"never-greet",
       [&] {
         const Crossbind crossbind(record);
         stay();
       }},
      {"exit-after-hello",
       [&] {
         Crossbind(record).greet();
         std::exit(4);
       }},
      {"no-hello",
       [&] {
         Crossbind crossbind(record);
         crossbind.send(protocol::Done{.id = 1});
         stay();
       }},
      {"old-protocol", [&] { greet([](protocol::Hello& hello) { hello.protocol = 0; }); }},
      {"wrong-token", [&] { greet([](protocol::Hello& hello) { hello.token = "guessed"; }); }},
      {"wrong-name", [&] { greet([](protocol::Hello& hello) { hello.binding = "toy/other"; }); }},
      {"crash", [&] { crash(record); }},
      {"half-line", [&] { say(record, R"({"type": "epo)"); }},
      {"junk", [&] { say(record, "Epoch 1: 100%|####| 3/3\n"); }},
      {"nan",
       [&] {
         say(record,
             R"({"type": "epoch", "id": 2, "epoch": 1, "loss": NaN})"
             "\n");
       }},
      {"overflow",
       [&] {
         say(record,
             R"({"type": "epoch", "id": 2, "epoch": 1, "loss": 1e999})"
             "\n");
       }},
      {"long-line", [&] { say_endlessly(record); }},
      {"close-and-stay",
       [&] {
         Crossbind crossbind(record);
         crossbind.until_work();
         crossbind.close();
         stay();
       }},
      {"hang", [&] { hang(record); }},
      {"ignore-term",
       [&] {
         ::signal(SIGTERM, SIG_IGN);
         hang(record);
       }},
      {"talk-on", [&] { talk_on(record); }},
      {"fill-log", fill_log},
      {"eat", [&] { eat(record); }},
      {"fork", [&] { fork_and_exit(record); }},
  };
  modes.at(mode)();
}

}  // namespace
}  // namespace crossbind

int main(int /*argc*/, char** argv) {
  ::alarm(crossbind::kLifetimeSeconds);
  crossbind::process::record_self(argv[2]);
  crossbind::misbehave(argv[1], argv[2]);
  return 0;
}
