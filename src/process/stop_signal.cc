#include "process/stop_signal.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace crossbind::process {

StopSignal::StopSignal()
    : orderly_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      urgent_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void StopSignal::raise() noexcept {
  const int saved = errno;
  const int level = ++level_;
  const uint64_t one = 1;
  const int descriptor = level == 1 ? orderly_.get() : urgent_.get();
  // Cannot fail: the counter is far from its limit.
  [[maybe_unused]] const auto written = ::write(descriptor, &one, sizeof one);
  errno = saved;
}

}  // namespace crossbind::process
