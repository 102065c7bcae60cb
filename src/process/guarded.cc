#include "process/guarded.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/text.h"
#include "process/bounded_log.h"
#include "process/file_descriptor.h"
#include "process/guard_launch.h"
#include "process/guard_protocol.h"
#include "process/orphans.h"

namespace crossbind::process {
namespace {

using Sink = std::function<void(std::string_view)>;

// Reads once; false at the end of the stream or when nothing is there.
bool read_into(const Sink& sink, int fd) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) {
    return errno == EINTR;
  }
  sink({buffer.data(), static_cast<size_t>(count)});
  return count > 0;
}

// What is still in the pipe. A process that was not found may hold it open, and write to it: one
// pipe full is the most that can be of the program.
void read_rest(const Sink& sink, int fd) {
  constexpr int kPipeFull = 16;  // times 64 KiB, the most an unprivileged pipe can hold
  ::fcntl(fd, F_SETFL, O_RDONLY | O_NONBLOCK);
  for (int i = 0; i < kPipeFull && read_into(sink, fd); ++i) {
  }
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

Ending ending_of(const GuardEnded& ended) {
  switch (ended.reason) {
    case GuardReason::kMemoryLimit:
      return Ending::kMemoryLimit;
    case GuardReason::kDeadline:
      return Ending::kDeadline;
    case GuardReason::kStopped:
      return Ending::kStopped;
    case GuardReason::kEnded:
      break;
  }
  return WIFSIGNALED(ended.wait_status) ? Ending::kSignalled : Ending::kExited;
}

}  // namespace

struct GuardedProcess::State {
  LaunchedGuard guard;
  FileDescriptor end_event;
  BoundedLog log;
  Sink sink;
  End end;
  std::thread watcher;

  State(LaunchedGuard launched, FileDescriptor event, const GuardedCommand& command)
      : guard(std::move(launched)),
        end_event(std::move(event)),
        log(command.log_limit),
        sink([this, on_output = command.on_output](std::string_view piece) {
          log.append(piece);
          if (on_output && !piece.empty()) {
            on_output(piece);
          }
        }) {
    end.memory_limit = command.memory_limit;
    end.deadline = command.deadline;
  }

  void watch();
  bool receive(GuardEnded& ended);
};

// Keeps the log flowing until the guard reports; false when it is gone without a word.
bool GuardedProcess::State::receive(GuardEnded& ended) {
  std::array<pollfd, 2> waits{{{guard.log.get(), POLLIN, 0}, {guard.channel.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      continue;
    }
    if (waits[0].revents != 0 && !read_into(sink, guard.log.get())) {
      waits[0].fd = -1;
    }
    if (waits[1].revents != 0) {
      return receive_message(guard.channel.get(), ended);
    }
  }
}

void GuardedProcess::State::watch() {
  GuardEnded ended;
  if (receive(ended)) {
    end.ending = ending_of(ended);
    end.code = WIFSIGNALED(ended.wait_status) ? WTERMSIG(ended.wait_status)
                                              : WEXITSTATUS(ended.wait_status);
    end.usage = {std::chrono::microseconds(ended.wall_us),
                 std::chrono::microseconds(ended.user_us),
                 std::chrono::microseconds(ended.system_us),
                 ended.peak_memory};
  } else {
    kill_orphans_of(guard.pid);
  }
  read_rest(sink, guard.log.get());
  end.log = log.text();
  reap(guard.pid);
  ::eventfd_write(end_event.get(), 1);
}

Result<GuardedProcess> GuardedProcess::start(const std::filesystem::path& guard,
                                             const GuardedCommand& command) {
  adopt_orphans();
  FileDescriptor event(::eventfd(0, EFD_CLOEXEC));
  if (!event.is_open()) {
    return fail_errno("cannot open an event", command.program.arguments.at(0));
  }
  CB_ASSIGN(LaunchedGuard launched, launch_guard(guard, command));
  auto state = std::make_unique<State>(std::move(launched), std::move(event), command);
  state->watcher = std::thread([&watched = *state] { watched.watch(); });
  return GuardedProcess(std::move(state));
}

GuardedProcess::GuardedProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
GuardedProcess::GuardedProcess(GuardedProcess&&) noexcept = default;

GuardedProcess::~GuardedProcess() {
  if (state_) {
    kill();
    wait();
  }
}

pid_t GuardedProcess::pid() const {
  return state_->guard.worker;
}

pid_t GuardedProcess::guard_pid() const {
  return state_->guard.pid;
}

void GuardedProcess::stop() {
  send_message(state_->guard.channel.get(), GuardRequest::kStop);
}

void GuardedProcess::kill() {
  send_message(state_->guard.channel.get(), GuardRequest::kKill);
}

bool GuardedProcess::has_ended() const {
  pollfd wait{state_->end_event.get(), POLLIN, 0};
  return ::poll(&wait, 1, 0) > 0;
}

int GuardedProcess::end_descriptor() const {
  return state_->end_event.get();
}

const End& GuardedProcess::wait() {
  if (state_->watcher.joinable()) {
    state_->watcher.join();
  }
  return state_->end;
}

std::string End::describe() const {
  switch (ending) {
    case Ending::kExited:
      return fmt::format("exited with code {}", code);
    case Ending::kSignalled:
      return fmt::format("was killed by {}", signal_name(code));
    case Ending::kMemoryLimit:
      return fmt::format(
          "used more than {} (peak {})", human_bytes(memory_limit), human_bytes(usage.peak_memory));
    case Ending::kDeadline:
      return fmt::format("ran longer than {}", human_duration(deadline));
    case Ending::kStopped:
      return "was stopped";
    case Ending::kGuardLost:
      break;
  }
  return "was killed together with its guard";
}

}  // namespace crossbind::process
