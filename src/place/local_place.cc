#include "place/local_place.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/random.h>

#include <array>

#include "place/host.h"
#include "process/endpoint.h"
#include "process/line_channel.h"
#include "process/waiting.h"

namespace crossbind::place {
namespace {

using process::GuardedProcess;
using process::Interruption;
using process::Listener;

// What the numeric libraries of all frameworks read at their start.
constexpr std::array kThreadVariables = {"OMP_NUM_THREADS",
                                         "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS",
                                         "NUMEXPR_NUM_THREADS",
                                         "TF_NUM_INTRAOP_THREADS",
                                         "TF_NUM_INTEROP_THREADS"};

// The path of a Unix socket has a limit (108 bytes); a cache may lie deeper than that.
constexpr size_t kLongestSocketPath = 100;

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

process::GuardedCommand guarded(const process::Program& program, const Limits& limits) {
  process::GuardedCommand command{.program = program,
                                  .cpus = limits.cpus,
                                  .memory_limit = limits.memory,
                                  .deadline = limits.time};
  for (const char* variable : kThreadVariables) {
    command.program.environment.push_back(fmt::format("{}={}", variable, limits.threads));
  }
  return command;
}

class LocalProgram final : public RunningProgram {
 public:
  LocalProgram(std::optional<Listener> listener,
               std::string token,
               GuardedProcess process,
               LibraryHashes& hashes)
      : listener_(std::move(listener)),
        token_(std::move(token)),
        process_(std::move(process)),
        hashes_(hashes) {}

  const std::string& token() const override { return token_; }

  Result<Joined> connect(std::chrono::milliseconds timeout, Interruption interruption) override {
    const std::array wake = {process_.end_descriptor(), interruption.descriptor()};
    CB_ASSIGN(auto accepted, listener_->accept(timeout, wake));
    if (const auto* woken = std::get_if<process::Woken>(&accepted)) {
      return woken->fd == interruption.descriptor() ? Joined(Interrupted{}) : Joined(Ended{});
    }
    if (std::holds_alternative<process::TimedOut>(accepted)) {
      return Silent{};
    }
    channel_.emplace(std::get<process::FileDescriptor>(std::move(accepted)));
    return Connected{};
  }

  Status send_line(std::string_view line) override { return channel_->send_line(line); }

  Result<HeardLine> receive_line(std::chrono::milliseconds timeout,
                                 Interruption interruption) override {
    const std::array wake = {process_.end_descriptor(), interruption.descriptor()};
    CB_ASSIGN(auto received, channel_->receive_line(timeout, wake));
    if (auto* line = std::get_if<std::string>(&received)) {
      return std::move(*line);
    }
    if (const auto* woken = std::get_if<process::Woken>(&received)) {
      return woken->fd == interruption.descriptor() ? HeardLine(Interrupted{}) : HeardLine(Ended{});
    }
    return std::holds_alternative<process::Closed>(received)
               ? HeardLine(Ended{})
               : HeardLine(Silent{channel_->unfinished()});
  }

  void hang_up() override { channel_.reset(); }

  // The program sees what we see.
  Result<std::filesystem::path> bring(const std::filesystem::path& here) override { return here; }
  Result<std::filesystem::path> make_room(const std::filesystem::path& here) override {
    return here;
  }
  Status fetch(const std::filesystem::path& /*here*/) override { return {}; }

  Texts libraries() override { return hashes_.of_process(process_.pid()); }

  std::optional<process::End> wait_for_end(std::chrono::milliseconds timeout) override {
    const process::Deadline deadline(timeout);
    static_cast<void>(process::wait_for(process_.end_descriptor(), POLLIN, deadline, {}));
    return process_.has_ended() ? std::optional(process_.wait()) : std::nullopt;
  }

  process::End end() override {
    process_.kill();
    return process_.wait();
  }

 private:
  std::optional<Listener> listener_;  // nothing: nobody listens
  std::string token_;
  GuardedProcess process_;
  LibraryHashes& hashes_;
  std::optional<process::LineChannel> channel_;
};

}  // namespace

Result<std::unique_ptr<RunningProgram>> LocalPlace::start(const std::string& /*name*/,
                                                          const process::Program& program,
                                                          const Limits& limits,
                                                          const Contact& contact) {
  process::GuardedCommand command = guarded(program, limits);
  std::optional<Listener> listener;
  std::string token = make_token();
  if (contact.reach != Reach::kNowhere) {
    const auto socket = sockets_ / fmt::format("{}.socket", ++count_);
    const bool is_unix =
        contact.reach == Reach::kUsual && socket.native().size() <= kLongestSocketPath;
    CB_ASSIGN(auto opened,
              is_unix ? Listener::listen_unix(socket) : Listener::listen_tcp("127.0.0.1", 0));
    listener.emplace(std::move(opened));
    auto& environment = command.program.environment;
    environment.push_back(fmt::format("{}={}", contact.endpoint_variable, listener->address()));
    environment.push_back(fmt::format("{}={}", contact.token_variable, token));
  }
  CB_ASSIGN(auto process, GuardedProcess::start(guard_, command));
  return std::make_unique<LocalProgram>(
      std::move(listener), std::move(token), std::move(process), hashes_);
}

Texts LocalPlace::host() const {
  return describe_this_machine();
}

}  // namespace crossbind::place
