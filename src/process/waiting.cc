#include "process/waiting.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

namespace crossbind::process {

Deadline::Deadline(std::chrono::milliseconds timeout)
    : forever_(timeout == kForever),
      time_(std::chrono::steady_clock::now() +
            (forever_ ? std::chrono::milliseconds(0) : timeout)) {}

int Deadline::milliseconds_left() const {
  if (forever_) {
    return -1;
  }
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(time_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

Result<std::variant<Ready, TimedOut, Woken>> wait_for(int fd,
                                                      short events,
                                                      const Deadline& deadline,
                                                      std::span<const int> wake_fds) {
  std::vector<pollfd> waits{{fd, events, 0}};
  waits.reserve(wake_fds.size() + 1);
  for (const int wake : wake_fds) {
    waits.push_back({wake, POLLIN, 0});
  }
  int count = 0;
  while ((count = ::poll(waits.data(), waits.size(), deadline.milliseconds_left())) < 0) {
    if (errno != EINTR) {
      return fail_errno("cannot wait", "poll");
    }
  }
  if (count == 0) {
    return TimedOut{};
  }
  const auto ready = std::find_if(
      waits.begin(), waits.end(), [](const pollfd& wait) { return wait.revents != 0; });
  if (ready == waits.begin()) {
    return Ready{};
  }
  return Woken{ready->fd};
}

}  // namespace crossbind::process
