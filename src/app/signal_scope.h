// Ctrl-C and SIGTERM as a wish to stop, for commands that have something to end in order.
#pragma once

#include <csignal>

#include "process/stop_signal.h"

namespace crossbind::app {

// While it lives, Ctrl-C and SIGTERM raise the signal instead of ending the program. One at a time.
class SignalScope {
 public:
  explicit SignalScope(process::StopSignal& stop);
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope();

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace crossbind::app
