#include "run/process_worker.h"

#include <fmt/format.h>

#include <poll.h>

#include <array>
#include <optional>

#include "process/line_channel.h"
#include "protocol/codec.h"

namespace crossbind::run {
namespace {

class ProcessWorker final : public Worker {
 public:
  ProcessWorker(std::string binding,
                WorkerProgram program,
                const LauncherOptions& options,
                LibraryHashes& hashes)
      : binding_(std::move(binding)),
        program_(std::move(program)),
        options_(options),
        hashes_(hashes) {}

  Result<Heard> greet(int wake_descriptor) override {
    const std::array wake = {program_.process.end_descriptor(), wake_descriptor};
    CB_ASSIGN(auto accepted, program_.listener.accept(options_.hello_timeout, wake));
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
    const std::array wake = {program_.process.end_descriptor(), wake_descriptor};
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

  store::Environment libraries() override { return hashes_.of_process(program_.process.pid()); }

  process::Report end(Leave leave) override {
    if (leave == Leave::kByItself) {
      // Until the worker is gone; what it may still say does not matter.
      const process::Deadline deadline(options_.grace);
      static_cast<void>(process::wait_for(program_.process.end_descriptor(), POLLIN, deadline, {}));
    }
    program_.process.kill();
    return program_.process.wait();
  }

 private:
  Status check_hello(const protocol::Event& event) {
    const auto* hello = std::get_if<protocol::Hello>(&event);
    if (hello == nullptr) {
      return refuse("the first message is no hello");
    }
    if (hello->token != program_.token) {
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
  WorkerProgram program_;
  const LauncherOptions& options_;
  LibraryHashes& hashes_;
  std::optional<process::LineChannel> channel_;
};

}  // namespace

Result<std::unique_ptr<Worker>> ProcessLauncher::launch(const std::string& binding,
                                                        const WorkerCommand& command,
                                                        const Limits& limits) {
  CB_ASSIGN(auto program,
            start_program(command,
                          limits,
                          {options_.guard,
                           options_.endpoint,
                           options_.scratch / fmt::format("{}.socket", ++sockets_)}));
  return std::make_unique<ProcessWorker>(binding, std::move(program), options_, hashes_);
}

}  // namespace crossbind::run
