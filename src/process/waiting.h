// Waiting for a descriptor with a time limit, and for others at the same time.
#pragma once

#include <chrono>
#include <span>
#include <variant>

#include "base/error.h"

namespace crossbind::process {

inline constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

struct Ready {};
struct TimedOut {};
struct Woken {
  int fd = -1;  // which of the other descriptors has something to say
};

// A point in time that poll() can wait for.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds timeout);

  [[nodiscard]] int milliseconds_left() const;  // rounded up; -1: for ever

 private:
  bool forever_;
  std::chrono::steady_clock::time_point time_;
};

// events as poll() has them. The descriptor itself comes before those that wake.
[[nodiscard]] Result<std::variant<Ready, TimedOut, Woken>> wait_for(int fd,
                                                                    short events,
                                                                    const Deadline& deadline,
                                                                    std::span<const int> wake_fds);

}  // namespace crossbind::process
