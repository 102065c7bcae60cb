// Ctrl-C and SIGTERM as a wish to stop, for commands that have something to end in order.
#pragma once

#include <csignal>

#include "run/stop_signal.h"

namespace crossbind::cli {

inline constexpr int kInterrupted = 130;  // as shells have it: 128 + SIGINT

// While it lives, Ctrl-C and SIGTERM raise the signal instead of ending the program. One at a time.
class SignalScope {
 public:
  explicit SignalScope(run::StopSignal& stop);
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope();

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace crossbind::cli
