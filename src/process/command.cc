#include "process/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "process/environment.h"

namespace crossbind::process {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_read();
    close_write();
  }

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return false;
    }
    read = ends[0];
    write = ends[1];
    return true;
  }
  void close_read() { close_end(read); }
  void close_write() { close_end(write); }

 private:
  static void close_end(int& fd) {
    if (fd >= 0) {
      ::close(fd);
      fd = -1;
    }
  }
};

// Reads what is there; false at the end of the stream.
bool drain(int fd, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  text.append(buffer.data(), static_cast<size_t>(count));
  if (text.size() > 2 * kOutputLimit) {
    text.erase(0, text.size() - kOutputLimit);
  }
  return count > 0;
}

void bound(std::string& text) {
  if (text.size() > kOutputLimit) {
    text.erase(0, text.size() - kOutputLimit);
  }
}

struct Pipes {
  Pipe out;
  Pipe error;
  Pipe status;  // carries errno when exec fails, closes when it succeeds
};

// In the child: only async-signal-safe calls from here to exec.
[[noreturn]] void become(const Command& command,
                         char* const* arguments,
                         char* const* environment,
                         const Pipes& pipes,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(127);
  }
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(pipes.out.write, STDOUT_FILENO);
  ::dup2(pipes.error.write, STDERR_FILENO);
  if (command.directory.empty() || ::chdir(command.directory.c_str()) == 0) {
    ::execvpe(arguments[0], arguments, environment);
  }
  const int code = errno;
  [[maybe_unused]] const ssize_t told = ::write(pipes.status.write, &code, sizeof code);
  ::_exit(127);
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

// Until both streams end, or the child has ended and what it wrote is read: a grandchild that keeps
// the streams open is not waited for.
void collect(const Command& command, pid_t child, Pipes& pipes, Outcome& outcome) {
  auto& [out, error, status] = pipes;
  bool ended = false;
  while (out.read >= 0 || error.read >= 0) {
    std::array<pollfd, 2> waits{{{out.read, POLLIN, 0}, {error.read, POLLIN, 0}}};
    const int ready = ::poll(waits.data(), waits.size(), ended ? 0 : 100);
    if (ended && ready <= 0) {
      break;
    }
    if (waits[0].revents != 0 && !drain(out.read, outcome.out)) {
      out.close_read();
    }
    if (waits[1].revents != 0 && !drain(error.read, outcome.error)) {
      error.close_read();
    }
    ended = has_ended(child);
    if (command.while_running) {
      command.while_running();
    }
  }
  bound(outcome.out);
  bound(outcome.error);
}

}  // namespace

Result<Outcome> run(const Command& command) {
  const std::string& program = command.arguments.at(0);
  Pipes pipes;
  if (!pipes.out.open() || !pipes.error.open() || !pipes.status.open()) {
    return fail_errno("cannot open a pipe", program);
  }
  auto argument_texts = command.arguments;
  auto environment_texts = merged_environment(command.environment);
  const auto arguments = pointers_to(argument_texts);
  const auto environment = pointers_to(environment_texts);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    return fail_errno("cannot fork", program);
  }
  if (child == 0) {
    become(command, arguments.data(), environment.data(), pipes, parent);
  }
  pipes.out.close_write();
  pipes.error.close_write();
  pipes.status.close_write();
  int exec_errno = 0;
  ssize_t told = 0;
  while ((told = ::read(pipes.status.read, &exec_errno, sizeof exec_errno)) < 0 && errno == EINTR) {
  }
  const bool started = told <= 0;
  Outcome outcome;
  if (started) {
    collect(command, child, pipes, outcome);
  }
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (!started) {
    errno = exec_errno;
    return fail_errno("cannot start", program);
  }
  outcome.exit_code = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
  return outcome;
}

}  // namespace crossbind::process
