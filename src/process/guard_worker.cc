#include "process/guard_worker.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "process/environment.h"
#include "process/file_descriptor.h"

namespace crossbind::process {
namespace {

std::vector<int> parse_cpus(const char* text) {
  std::vector<int> cpus;
  while (*text != '\0') {
    char* end = nullptr;
    cpus.push_back(static_cast<int>(std::strtol(text, &end, 10)));
    text = *end == ',' ? end + 1 : "";
  }
  return cpus;
}

bool receive_environment(std::vector<std::string>& environment) {
  uint64_t size = 0;
  if (!receive_message(kGuardChannel, size)) {
    return false;
  }
  std::string text(size, '\0');
  if (::recv(kGuardChannel, text.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size)) {
    return false;
  }
  for (size_t begin = 0; begin < text.size(); begin = text.find('\0', begin) + 1) {
    std::string entry = text.c_str() + begin;
    if (!entry.starts_with(kGuardMarker)) {  // that of a guard above us
      environment.push_back(std::move(entry));
    }
  }
  environment.push_back(std::string(kGuardMarker) + std::to_string(::getpid()));
  return true;
}

// The kernel leaves out processors that are not there and only objects when none remains.
bool pin_to(const std::vector<int>& cpus) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
      errno = EINVAL;
      return false;
    }
    CPU_SET(static_cast<size_t>(cpu), &wanted);
  }
  cpu_set_t effective;
  if (::sched_setaffinity(0, sizeof wanted, &wanted) != 0 ||
      ::sched_getaffinity(0, sizeof effective, &effective) != 0) {
    return false;
  }
  errno = EINVAL;
  return CPU_EQUAL(&wanted, &effective);
}

// In the child: makes it what the settings ask for. Returns the step that failed, with errno.
StartStep become(const GuardSettings& settings, char* const* environment, pid_t guard) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // kill -9 of the guard ends the worker
  if (::getppid() != guard) {
    ::_exit(127);
  }
  ::setpgid(0, 0);  // a worker that signals its own group must not hit the guard
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!settings.cpus.empty() && !pin_to(settings.cpus)) {
    return StartStep::kCpus;
  }
  if (settings.directory[0] != '\0' && ::chdir(settings.directory) != 0) {
    return StartStep::kDirectory;
  }
  ::execvpe(settings.arguments[0], settings.arguments, environment);
  return StartStep::kProgram;
}

}  // namespace

std::optional<GuardSettings> receive_settings(int argc, char** argv) {
  constexpr int kProgramIndex = 6;
  if (argc <= kProgramIndex) {
    return std::nullopt;
  }
  GuardSettings settings;
  settings.memory_limit = std::strtoull(argv[1], nullptr, 10);
  settings.deadline = std::chrono::milliseconds(std::strtoll(argv[2], nullptr, 10));
  settings.grace = std::chrono::milliseconds(std::strtoll(argv[3], nullptr, 10));
  settings.cpus = parse_cpus(argv[4]);
  settings.directory = argv[5];
  settings.arguments = argv + kProgramIndex;
  if (!receive_environment(settings.environment)) {
    return std::nullopt;
  }
  return settings;
}

GuardStarted start_worker(GuardSettings& settings) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {StartStep::kGuard, errno, 0};
  }
  const FileDescriptor status_read(ends[0]);
  FileDescriptor status_write(ends[1]);
  const auto environment = pointers_to(settings.environment);
  const pid_t guard = ::getpid();
  const pid_t worker = ::fork();
  if (worker < 0) {
    return {StartStep::kGuard, errno, 0};
  }
  GuardStarted started{StartStep::kDone, 0, worker};
  if (worker == 0) {
    started.failed_step = become(settings, environment.data(), guard);
    started.error = errno;
    [[maybe_unused]] const ssize_t told = ::write(status_write.get(), &started, sizeof started);
    ::_exit(127);
  }
  status_write.close();
  GuardStarted failure;
  ssize_t told = 0;
  while ((told = ::read(status_read.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  if (told != sizeof failure) {
    return started;  // exec() closed the pipe
  }
  ::waitpid(worker, nullptr, 0);
  return failure;
}

void stay_away_from(const std::vector<int>& cpus) {
  cpu_set_t others;
  if (cpus.empty() || ::sched_getaffinity(0, sizeof others, &others) != 0) {
    return;
  }
  for (const int cpu : cpus) {
    CPU_CLR(static_cast<size_t>(cpu), &others);
  }
  if (CPU_COUNT(&others) > 0) {
    ::sched_setaffinity(0, sizeof others, &others);
  }
}

}  // namespace crossbind::process
