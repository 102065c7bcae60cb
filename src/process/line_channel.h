// Lines of text over a connected socket. A line is what ends in \n; what is in it is not looked at.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "process/file_descriptor.h"
#include "process/waiting.h"

namespace crossbind::process {

inline constexpr size_t kLineLimit = size_t{8} << 20;
inline constexpr std::chrono::milliseconds kSendTimeout{30'000};

struct Closed {};  // the other side has closed, after a whole line

using Received = std::variant<std::string, Closed, TimedOut, Woken>;

class LineChannel {
 public:
  // line_limit: the most bytes a received line may have, and the most that are held.
  explicit LineChannel(FileDescriptor socket, size_t line_limit = kLineLimit)
      : socket_(std::move(socket)),
        line_limit_(line_limit) {}

  // Sends the line as a whole. When the other side does not take it in time, that is an error and
  // nothing more can be sent.
  [[nodiscard]] Status send_line(std::string_view line,
                                 std::chrono::milliseconds timeout = kSendTimeout);

  // The next line, without its \n. Lines that have arrived come before the end of the stream, and
  // both come before a descriptor that wakes. A line over the limit and half a line at the end of
  // the stream are errors; nothing more can be received then.
  [[nodiscard]] Result<Received> receive_line(std::chrono::milliseconds timeout,
                                              std::span<const int> wake_fds = {});

  // Bytes that have come since the last line feed.
  [[nodiscard]] size_t unfinished() const { return buffer_.size() - begin_; }

 private:
  [[nodiscard]] bool take_line(std::string& line);
  [[nodiscard]] Result<bool> fill();  // false at the end of the stream

  FileDescriptor socket_;
  size_t line_limit_;
  std::string buffer_;
  size_t begin_ = 0;     // of what has not been taken
  size_t searched_ = 0;  // up to here there is no \n
};

}  // namespace crossbind::process
