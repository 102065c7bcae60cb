#include "process/guard_launch.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "process/environment.h"
#include "process/guard_protocol.h"
#include "process/orphans.h"

namespace crossbind::process {
namespace {

struct Ends {
  FileDescriptor ours;
  FileDescriptor childs;
};

// The child's end is moved above the numbers it will be copied to in the child.
bool lift(FileDescriptor& fd) {
  fd = FileDescriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kGuardChannel + 1));
  return fd.is_open();
}

Result<Ends> open_channel(const std::string& program) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno("cannot open a socket", program);
  }
  Ends result{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  if (!lift(result.childs)) {
    return fail_errno("cannot open a socket", program);
  }
  return result;
}

Result<Ends> open_log(const std::string& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail_errno("cannot open a pipe", program);
  }
  Ends result{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  if (!lift(result.childs)) {
    return fail_errno("cannot open a pipe", program);
  }
  return result;
}

std::vector<std::string> guard_arguments(const std::filesystem::path& guard,
                                         const GuardedCommand& command) {
  std::vector<std::string> arguments{guard.string(),
                                     fmt::format("{}", command.memory_limit),
                                     fmt::format("{}", command.deadline.count()),
                                     fmt::format("{}", command.grace.count()),
                                     fmt::format("{}", fmt::join(command.cpus, ",")),
                                     command.program.directory.string()};
  arguments.insert(
      arguments.end(), command.program.arguments.begin(), command.program.arguments.end());
  return arguments;
}

// Own session, no signal blocked or ignored, and only these descriptors.
Result<pid_t> spawn(const std::filesystem::path& guard,
                    std::vector<std::string> arguments,
                    int log,
                    int channel) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel, kGuardChannel);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  pid_t pid = -1;
  const int error = ::posix_spawn(
      &pid, guard.c_str(), &actions, &attributes, pointers_to(arguments).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return fail_errno("cannot start the guard", guard.string());
  }
  return pid;
}

// Whether it was sent makes no difference: a guard that has gone does not answer either.
void send_environment(int channel, const std::vector<std::string>& environment) {
  std::string text;
  for (const auto& entry : environment) {
    text.append(entry).push_back('\0');
  }
  const uint64_t size = text.size();
  text.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::send(channel, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return;
    }
    sent += count > 0 ? static_cast<size_t>(count) : 0;
  }
}

tl::unexpected<Error> failure(const GuardStarted& started,
                              const std::filesystem::path& guard,
                              const GuardedCommand& command) {
  const std::string& program = command.program.arguments.at(0);
  errno = started.error;
  switch (started.failed_step) {
    case StartStep::kProgram:
      return fail_errno("cannot start", program);
    case StartStep::kDirectory:
      return fail_errno("cannot start in " + command.program.directory.string(), program);
    case StartStep::kCpus:
      return tl::unexpected(
          Error{ErrorKind::kUnavailable,
                fmt::format("cannot be bound to the processors {}", fmt::join(command.cpus, ", ")),
                program,
                "Name processors that this process may use; nproc counts them."});
    case StartStep::kDone:
    case StartStep::kGuard:
      break;
  }
  if (started.error == ENOSYS) {
    return tl::unexpected(
        Error{ErrorKind::kUnavailable,
              "cannot be guarded: this kernel does not list the children of processes",
              program,
              "Use a kernel with CONFIG_PROC_CHILDREN, and mount /proc."});
  }
  return fail_errno("cannot be started by " + guard.string(), program);
}

}  // namespace

Result<LaunchedGuard> launch_guard(const std::filesystem::path& guard,
                                   const GuardedCommand& command) {
  const std::string& program = command.program.arguments.at(0);
  CB_ASSIGN(Ends channel, open_channel(program));
  CB_ASSIGN(Ends log, open_log(program));
  LaunchedGuard launched;
  CB_ASSIGN(launched.pid,
            spawn(guard, guard_arguments(guard, command), log.childs.get(), channel.childs.get()));
  log.childs.close();
  channel.childs.close();
  send_environment(channel.ours.get(), merged_environment(command.program.environment));
  GuardStarted started{StartStep::kGuard, EPIPE, 0};
  if (!receive_message(channel.ours.get(), started) || started.failed_step != StartStep::kDone) {
    channel.ours.close();
    kill_orphans_of(launched.pid);
    reap(launched.pid);
    return failure(started, guard, command);
  }
  launched.worker = started.worker;
  launched.channel = std::move(channel.ours);
  launched.log = std::move(log.ours);
  return launched;
}

}  // namespace crossbind::process
