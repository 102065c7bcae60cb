// Ends what a guard left behind that was itself killed. Other guards, and whatever else this
// process has started, are not touched.
#pragma once

#include <sys/types.h>

namespace crossbind::process {

// Makes this process the one that orphans below it fall to; without that they cannot be found.
void adopt_orphans();

// The guard must be about to end, and not be reaped before this returns, so that its pid stays its
// own. When it returns, all are gone. A process is known by the guard's session, by the marker in
// its environment, or by a living ancestor known in this way; one that has none of the three is not
// found: it has detached, forgotten its environment, and outlived its parent. Those that had ended
// by themselves cannot be told from other children any more and stay zombies until this process
// ends.
void kill_orphans_of(pid_t guard);

// Takes a child's exit status, waiting for it, so that its pid may be used again.
void reap(pid_t child);

}  // namespace crossbind::process
