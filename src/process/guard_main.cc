// crossbind-guard: starts one program, watches over it and everything it starts, and leaves nothing
// behind. A program of its own, because it must outlive crossbind's death for a moment, and because
// little is allowed between fork() and exec() in a process with threads.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>

#include "process/file_descriptor.h"
#include "process/guard_protocol.h"
#include "process/guard_worker.h"
#include "process/process_tree.h"

namespace crossbind::process {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kMeasureEvery{100};

class Watch {
 public:
  Watch(const GuardSettings& settings, pid_t worker, int signals)
      : settings_(settings),
        worker_(worker),
        signals_(signals) {}

  GuardEnded until_the_end();

 private:
  void end_for(GuardReason reason);  // the first reason is the one that counts
  void stop();
  void wait_for_event(milliseconds limit);
  void take_signals();
  void take_requests();
  void check_times();
  void measure();
  bool reap();  // false when no process is left
  void kill_all();

  const GuardSettings& settings_;
  pid_t worker_;
  int signals_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point measured_;
  std::optional<Clock::time_point>
      kill_at_;  // set while the worker may end by itself after SIGTERM
  bool parent_is_there_ = true;
  bool worker_ended_ = false;
  bool must_kill_ = false;
  GuardEnded ended_;
};

GuardEnded Watch::until_the_end() {
  while (!worker_ended_ && !must_kill_) {
    wait_for_event(kMeasureEvery);
    take_signals();
    take_requests();
    reap();
    if (!worker_ended_) {
      measure();
      check_times();
    }
  }
  kill_all();
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto microseconds = [](const timeval& time) {
    return int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
  };
  ended_.user_us = microseconds(usage.ru_utime);
  ended_.system_us = microseconds(usage.ru_stime);
  // The largest single process, which the kernel saw even if it lived between two looks.
  ended_.peak_memory = std::max(ended_.peak_memory, static_cast<uint64_t>(usage.ru_maxrss) * 1024);
  return ended_;
}

void Watch::end_for(GuardReason reason) {
  if (ended_.reason == GuardReason::kEnded) {
    ended_.reason = reason;
  }
  must_kill_ = true;
}

void Watch::stop() {
  if (kill_at_) {
    return;
  }
  ended_.reason = GuardReason::kStopped;
  kill_at_ = Clock::now() + settings_.grace;
  for (const pid_t pid : descendants_of(::getpid())) {
    ::kill(pid, SIGTERM);
  }
}

void Watch::wait_for_event(milliseconds limit) {
  std::array<pollfd, 2> waits{
      {{signals_, POLLIN, 0}, {parent_is_there_ ? kGuardChannel : -1, POLLIN, 0}}};
  const auto soon = [&](Clock::time_point time) {
    const auto left = std::chrono::ceil<milliseconds>(time - Clock::now());
    limit = std::clamp(left, milliseconds(0), limit);
  };
  if (kill_at_) {
    soon(*kill_at_);
  }
  if (settings_.deadline.count() > 0) {
    soon(started_ + settings_.deadline);
  }
  ::poll(waits.data(), waits.size(), static_cast<int>(limit.count()));
}

void Watch::take_signals() {
  signalfd_siginfo signal{};
  while (::read(signals_, &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo != SIGCHLD) {  // somebody asks the guard to end
      stop();
    }
  }
}

void Watch::take_requests() {
  GuardRequest request{};
  ssize_t count = 0;
  while (parent_is_there_ &&
         (count = ::recv(kGuardChannel, &request, sizeof request, MSG_DONTWAIT)) > 0) {
    if (request == GuardRequest::kStop) {
      stop();
    } else {
      end_for(GuardReason::kStopped);
    }
  }
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
    parent_is_there_ = false;
    end_for(GuardReason::kStopped);
  }
}

void Watch::check_times() {
  const auto now = Clock::now();
  if (kill_at_ && now >= *kill_at_) {
    end_for(GuardReason::kStopped);
  } else if (settings_.deadline.count() > 0 && now >= started_ + settings_.deadline) {
    end_for(GuardReason::kDeadline);
  }
}

void Watch::measure() {
  const auto now = Clock::now();
  if (now < measured_ + kMeasureEvery) {
    return;
  }
  measured_ = now;
  uint64_t sum = 0;
  for (const pid_t pid : descendants_of(::getpid())) {
    sum += resident_bytes(pid);
  }
  ended_.peak_memory = std::max(ended_.peak_memory, sum);
  if (settings_.memory_limit > 0 && sum > settings_.memory_limit) {
    end_for(GuardReason::kMemoryLimit);
  }
}

bool Watch::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid == worker_) {
      worker_ended_ = true;
      ended_.wait_status = status;
      ended_.wall_us =
          std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started_).count();
    }
  }
  return pid == 0;
}

// Killing a process gives its children to the guard, their reaper, so that killing direct children
// over and over comes to all. Groups are killed as well because that is atomic: no member can fork
// out of it, however many there are. All of a group descends from the guard, for groups do not
// reach across sessions. Programs that detach at every fork are met by asking again as soon as a
// process ends: listing direct children is quicker than forking.
void Watch::kill_all() {
  while (reap()) {
    for (const pid_t child : children_of(::getpid())) {
      const pid_t group = ::getpgid(child);
      if (group > 0 && group != ::getpgrp()) {
        ::kill(-group, SIGKILL);
      }
      ::kill(child, SIGKILL);
    }
    pollfd wait{signals_, POLLIN, 0};
    ::poll(&wait, 1, 10);
    take_signals();
  }
}

int guard(int argc, char** argv) {
  if (::fcntl(kGuardChannel, F_SETFD, FD_CLOEXEC) != 0) {
    std::fputs("crossbind-guard is started by crossbind, not by hand.\n", stderr);
    return 2;
  }
  // What crossbind itself inherited without close-on-exec stops here.
  ::close_range(kGuardChannel + 1, ~0U, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t handled;
  sigemptyset(&handled);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&handled, signal);
  }
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  const FileDescriptor signals(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));

  auto settings = receive_settings(argc, argv);
  if (!settings) {
    return 2;
  }
  GuardStarted started{StartStep::kGuard, ENOSYS, 0};
  if (can_list_children()) {
    started = start_worker(*settings);
  }
  send_message(kGuardChannel, started);
  if (started.failed_step == StartStep::kDone) {
    stay_away_from(settings->cpus);
    send_message(kGuardChannel, Watch(*settings, started.worker, signals.get()).until_the_end());
  }
  return 0;
}

}  // namespace
}  // namespace crossbind::process

int main(int argc, char** argv) {
  return crossbind::process::guard(argc, argv);
}
