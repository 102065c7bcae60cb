// Which processes stand below which, and how much memory they hold, as /proc tells it. What it
// tells is past when it is read: who kills by it looks again until nothing is left.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace crossbind::process {

// The content of /proc/PID/NAME; empty when the process has ended.
[[nodiscard]] std::string read_proc(pid_t pid, const std::string& name);

// Whether this kernel lists children (CONFIG_PROC_CHILDREN, which distributions set).
[[nodiscard]] bool can_list_children();

// Direct children, those included that have ended and are not reaped yet.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

// All processes below this one, parents before their children.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t pid);

[[nodiscard]] uint64_t resident_bytes(pid_t pid);  // 0 when it has ended

}  // namespace crossbind::process
