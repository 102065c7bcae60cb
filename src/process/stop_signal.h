// The wish to stop, in two degrees: what runs may end in order, or everything is killed now. Raised
// once each, from any thread or from a signal handler; waited for as an Interruption.
#pragma once

#include <atomic>

#include "process/file_descriptor.h"

namespace crossbind::process {

// What may end a wait early: a degree of a StopSignal, or, made of nothing, never.
class Interruption {
 public:
  Interruption() = default;
  explicit Interruption(int descriptor) : descriptor_(descriptor) {}

  // Readable once it is time; to poll, not to read. -1, which poll() passes over, for never.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  bool operator==(const Interruption&) const = default;

 private:
  int descriptor_ = -1;
};

class StopSignal {
 public:
  StopSignal();

  // The first call asks for an orderly end, the second for an immediate one. Safe in a signal
  // handler.
  void raise() noexcept;

  [[nodiscard]] bool is_raised() const { return level_ > 0; }
  [[nodiscard]] bool is_urgent() const { return level_ > 1; }

  [[nodiscard]] Interruption orderly() const { return Interruption(orderly_.get()); }
  [[nodiscard]] Interruption urgent() const { return Interruption(urgent_.get()); }

 private:
  std::atomic<int> level_ = 0;
  FileDescriptor orderly_;
  FileDescriptor urgent_;
};

}  // namespace crossbind::process
