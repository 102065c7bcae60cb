#include "run/process_worker.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/random.h>

#include <array>
#include <optional>

#include "process/endpoint.h"
#include "process/line_channel.h"
#include "protocol/codec.h"

namespace crossbind::run {
namespace {

using process::GuardedProcess;
using process::Listener;

// What the numeric libraries of all frameworks read at their start.
constexpr std::array kThreadVariables = {"OMP_NUM_THREADS",
                                         "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS",
                                         "NUMEXPR_NUM_THREADS",
                                         "TF_NUM_INTRAOP_THREADS",
                                         "TF_NUM_INTEROP_THREADS"};

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  // At most 256 bytes are never cut short.
  [[maybe_unused]] const auto count = ::getrandom(bytes.data(), bytes.size(), 0);
  std::string token;
  for (const unsigned byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

// The connection of one worker, until it is there.
struct Endpoint {
  Listener listener;
  std::string token;
};

// The path of a Unix socket has a limit (108 bytes); a cache may lie deeper than that.
constexpr size_t kLongestSocketPath = 100;

Result<Endpoint> open_endpoint(EndpointKind kind, const std::filesystem::path& socket) {
  const bool is_unix = kind == EndpointKind::kUnix && socket.native().size() <= kLongestSocketPath;
  CB_ASSIGN(auto listener,
            is_unix ? Listener::listen_unix(socket) : Listener::listen_tcp("127.0.0.1", 0));
  return Endpoint{std::move(listener), make_token()};
}

class ProcessWorker final : public Worker {
 public:
  ProcessWorker(std::string binding,
                Endpoint endpoint,
                GuardedProcess process,
                const LauncherOptions& options,
                LibraryHashes& hashes)
      : binding_(std::move(binding)),
        endpoint_(std::move(endpoint)),
        process_(std::move(process)),
        options_(options),
        hashes_(hashes) {}

  Result<Heard> greet(int wake_descriptor) override {
    const std::array wake = {process_.end_descriptor(), wake_descriptor};
    CB_ASSIGN(auto accepted, endpoint_.listener.accept(options_.hello_timeout, wake));
    if (const auto* woken = std::get_if<process::Woken>(&accepted)) {
      return woken->fd == wake_descriptor ? Heard(Interrupted{}) : Heard(Ended{});
    }
    if (std::holds_alternative<process::TimedOut>(accepted)) {
      return fail(ErrorKind::kInvalid,
                  "did not connect to {} within {} s",
                  protocol::kEndpointVariable,
                  std::chrono::duration_cast<std::chrono::seconds>(options_.hello_timeout).count());
    }
    channel_.emplace(std::get<process::FileDescriptor>(std::move(accepted)),
                     protocol::kMaximumLine);
    CB_ASSIGN(Heard heard, receive(options_.hello_timeout, wake_descriptor));
    if (std::holds_alternative<Silent>(heard)) {
      return fail(ErrorKind::kInvalid, "connected, but said no hello");
    }
    if (const auto* event = std::get_if<protocol::Event>(&heard)) {
      CB_TRY(check_hello(*event));
      if (!send(protocol::Welcome{protocol::kVersion, options_.version})) {
        return Heard(Ended{});  // how it ended says more than that nobody reads
      }
    }
    return heard;
  }

  Status send(const protocol::Request& request) override {
    return channel_->send_line(protocol::encode(request));
  }

  Result<Heard> receive(std::chrono::milliseconds timeout, int wake_descriptor) override {
    const std::array wake = {process_.end_descriptor(), wake_descriptor};
    CB_ASSIGN(auto received, channel_->receive_line(timeout, wake));
    if (const auto* line = std::get_if<std::string>(&received)) {
      CB_ASSIGN(auto event, protocol::decode_event(*line));
      return Heard(std::move(event));
    }
    if (const auto* woken = std::get_if<process::Woken>(&received)) {
      return woken->fd == wake_descriptor ? Heard(Interrupted{}) : Heard(Ended{});
    }
    return std::holds_alternative<process::Closed>(received) ? Heard(Ended{}) : Heard(Silent{});
  }

  store::Environment libraries() override { return hashes_.of_process(process_.pid()); }

  process::Report end(Leave leave) override {
    if (leave == Leave::kByItself) {
      // Until the worker is gone; what it may still say does not matter.
      const process::Deadline deadline(options_.grace);
      static_cast<void>(process::wait_for(process_.end_descriptor(), POLLIN, deadline, {}));
    }
    process_.kill();
    return process_.wait();
  }

 private:
  Status check_hello(const protocol::Event& event) {
    const auto* hello = std::get_if<protocol::Hello>(&event);
    if (hello == nullptr) {
      return refuse("the first message is no hello");
    }
    if (hello->token != endpoint_.token) {
      return refuse(fmt::format("the token is not that of {}", protocol::kTokenVariable));
    }
    if (hello->protocol != protocol::kVersion) {
      return refuse(fmt::format(
          "this crossbind speaks protocol {}, the worker {}", protocol::kVersion, hello->protocol));
    }
    if (!binding_.empty() && hello->binding != binding_) {
      return refuse(fmt::format("the worker of {} calls itself {:?}", binding_, hello->binding));
    }
    return {};
  }

  Status refuse(const std::string& reason) {
    static_cast<void>(send(protocol::Bye{reason}));  // it may be gone already
    return fail(ErrorKind::kInvalid, "{}", reason);
  }

  std::string binding_;
  Endpoint endpoint_;
  GuardedProcess process_;
  const LauncherOptions& options_;
  LibraryHashes& hashes_;
  std::optional<process::LineChannel> channel_;
};

}  // namespace

Result<std::unique_ptr<Worker>> ProcessLauncher::launch(const std::string& binding,
                                                        const WorkerCommand& command,
                                                        const Limits& limits) {
  CB_ASSIGN(
      Endpoint endpoint,
      open_endpoint(options_.endpoint, options_.scratch / fmt::format("{}.socket", ++sockets_)));
  process::GuardedCommand guarded;
  guarded.arguments = command.arguments;
  guarded.directory = command.directory;
  guarded.environment = command.environment;
  for (const char* variable : kThreadVariables) {
    guarded.environment.push_back(fmt::format("{}={}", variable, limits.threads));
  }
  guarded.environment.push_back(
      fmt::format("{}={}", protocol::kEndpointVariable, endpoint.listener.address()));
  guarded.environment.push_back(fmt::format("{}={}", protocol::kTokenVariable, endpoint.token));
  guarded.cpus = limits.cpus;
  guarded.memory_limit = limits.memory;
  guarded.deadline = limits.time;
  CB_ASSIGN(auto process, GuardedProcess::start(options_.guard, guarded));
  return std::make_unique<ProcessWorker>(
      binding, std::move(endpoint), std::move(process), options_, hashes_);
}

}  // namespace crossbind::run
