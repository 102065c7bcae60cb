#include "app/signal_scope.h"

namespace crossbind::app {
namespace {

// A signal handler can reach nothing but globals.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
process::StopSignal* to_raise = nullptr;

void on_signal(int /*number*/) {
  to_raise->raise();
}

}  // namespace

SignalScope::SignalScope(process::StopSignal& stop) {
  to_raise = &stop;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
}

SignalScope::~SignalScope() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
  to_raise = nullptr;
}

}  // namespace crossbind::app
