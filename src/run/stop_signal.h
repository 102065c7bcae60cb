// The wish to stop, in two degrees: what runs may end in order, or everything is killed now. Raised
// once each, from any thread or from a signal handler; waited for by descriptor.
#pragma once

#include <atomic>

#include "process/file_descriptor.h"

namespace crossbind::run {

class StopSignal {
 public:
  StopSignal();

  // The first call asks for an orderly end, the second for an immediate one. Safe in a signal
  // handler.
  void raise() noexcept;

  [[nodiscard]] bool is_raised() const { return level_ > 0; }
  [[nodiscard]] bool is_urgent() const { return level_ > 1; }

  // Readable from then on.
  [[nodiscard]] int orderly_descriptor() const { return orderly_.get(); }
  [[nodiscard]] int urgent_descriptor() const { return urgent_.get(); }

 private:
  std::atomic<int> level_ = 0;
  process::FileDescriptor orderly_;
  process::FileDescriptor urgent_;
};

}  // namespace crossbind::run
