#include "process/orphans.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "process/guard_protocol.h"
#include "process/process_tree.h"

namespace crossbind::process {
namespace {

bool belongs_to(pid_t guard, pid_t pid) {
  if (::getsid(pid) == guard) {
    return true;
  }
  const std::string marker = std::string(kGuardMarker) + std::to_string(guard) + '\0';
  const std::string environment = read_proc(pid, "environ");
  const size_t found = environment.find(marker);
  return found != std::string::npos && (found == 0 || environment[found - 1] == '\0');
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
  // Parents come first, so that each has become our child when its turn comes.
  for (const pid_t pid : stopped) {
    reap(pid);
  }
}

// Until a look shows nobody new. A program that forks and exits over and over leaves its dead here
// and is itself the newest child: looking there first, and at nobody twice, is quicker than it is.
void kill_children_of(pid_t guard) {
  std::set<pid_t> strangers{guard};
  for (bool somebody_new = true; somebody_new;) {
    somebody_new = false;
    const auto children = children_of(::getpid());
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      if (strangers.contains(*child)) {
        continue;
      }
      somebody_new = true;
      if (belongs_to(guard, *child)) {
        kill_tree(*child);
      } else {
        strangers.insert(*child);
      }
    }
  }
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
  // Twice, for a process has no environment for a moment while it executes another program.
  kill_children_of(guard);
  kill_children_of(guard);
}

}  // namespace crossbind::process
