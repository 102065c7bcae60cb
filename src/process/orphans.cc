#include "process/orphans.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "process/guard_protocol.h"
#include "process/process_tree.h"

namespace crossbind::process {
namespace {

// Not of the dead, who have no environment.
bool is_marked(pid_t guard, pid_t pid) {
  const std::string marker = std::string(kGuardMarker) + std::to_string(guard) + '\0';
  const std::string environment = read_proc(pid, "environ");
  const size_t found = environment.find(marker);
  return found != std::string::npos && (found == 0 || environment[found - 1] == '\0');
}

bool belongs_to(pid_t guard, pid_t pid) {
  return ::getsid(pid) == guard || is_marked(guard, pid);
}

// A killed process that becomes our child once its parent, killed too, is gone. One whose parent
// lives on is that one's to reap, and is not waited for long.
void reap_orphan(pid_t pid) {
  constexpr int kMostLooks = 1000;
  for (int look = 0; look < kMostLooks; ++look) {
    if (::waitpid(pid, nullptr, 0) >= 0 || (errno == ECHILD && ::kill(pid, 0) != 0)) {
      return;
    }
    ::usleep(1000);
  }
}

// A stopped process does not fork, so that after stopping all of a tree the tree is known; only
// then are they killed, for the children of a killed one would be strangers.
void kill_tree(pid_t root) {
  std::vector<pid_t> stopped{root};
  ::kill(root, SIGSTOP);
  for (size_t before = 0; before != stopped.size();) {
    before = stopped.size();
    for (const pid_t pid : descendants_of(root)) {
      if (std::find(stopped.begin(), stopped.end(), pid) == stopped.end()) {
        ::kill(pid, SIGSTOP);
        stopped.push_back(pid);
      }
    }
  }
  for (const pid_t pid : stopped) {
    ::kill(pid, SIGKILL);
  }
  for (const pid_t pid : stopped) {
    reap_orphan(pid);
  }
}

// Until a look shows nobody new. A program that forks and exits over and over leaves its dead here
// and is itself the newest: looking there first, and at nobody twice, is quicker than it is.
template <typename List, typename Belongs>
void kill_until_nobody_is_new(pid_t guard, const List& list, const Belongs& belongs) {
  std::set<pid_t> looked_at{guard, ::getpid()};
  for (bool somebody_new = true; somebody_new;) {
    somebody_new = false;
    const std::vector<pid_t> pids = list();
    for (auto pid = pids.rbegin(); pid != pids.rend(); ++pid) {
      if (!looked_at.insert(*pid).second) {
        continue;
      }
      somebody_new = true;
      if (belongs(guard, *pid)) {
        kill_tree(*pid);
      }
    }
  }
}

std::vector<pid_t> everybody() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> all(::opendir("/proc"), ::closedir);
  while (const dirent* entry = all ? ::readdir(all.get()) : nullptr) {
    if (const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)); pid > 0) {
      pids.push_back(pid);
    }
  }
  return pids;
}

}  // namespace

void reap(pid_t child) {
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void kill_orphans_of(pid_t guard) {
  siginfo_t info{};
  // Its children are ours from its end on.
  while (::waitid(P_PID, static_cast<id_t>(guard), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  const auto our_children = [] { return children_of(::getpid()); };
  // Twice, for a process has no environment for a moment while it executes another program.
  kill_until_nobody_is_new(guard, our_children, belongs_to);
  kill_until_nobody_is_new(guard, our_children, belongs_to);
  // The list of children may lack one whose parent ends while it is read. That of everybody goes by
  // pids, and who is forked meanwhile has a later one: when it shows nobody new, there is no other.
  kill_until_nobody_is_new(guard, everybody, is_marked);
}

}  // namespace crossbind::process
