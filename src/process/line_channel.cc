#include "process/line_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"

namespace crossbind::process {
namespace {

constexpr const char* kPlace = "line channel";

// Moves past what was sent.
void skip_sent(std::span<iovec> parts, size_t sent) {
  for (auto& part : parts) {
    const size_t step = std::min(sent, part.iov_len);
    part.iov_base = static_cast<char*>(part.iov_base) + step;
    part.iov_len -= step;
    sent -= step;
  }
}

}  // namespace

Status LineChannel::send_line(std::string_view line, std::chrono::milliseconds timeout) {
  if (line.find('\n') != std::string_view::npos) {
    return fail(ErrorKind::kInvalid, "a line to send has a line break in it");
  }
  const Deadline deadline(timeout);
  char line_end = '\n';
  std::array<iovec, 2> parts{
      {{const_cast<char*>(line.data()), line.size()}, {&line_end, sizeof line_end}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  while (parts.back().iov_len > 0) {
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      skip_sent(parts, static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      CB_ASSIGN(const auto event, wait_for(socket_.get(), POLLOUT, deadline, {}));
      if (std::holds_alternative<TimedOut>(event)) {
        ::shutdown(socket_.get(), SHUT_WR);  // the rest of this line must not be missing unnoticed
        return fail(ErrorKind::kIo,
                    "the other side has not read a line of {} within {}",
                    human_bytes(line.size()),
                    human_duration(timeout));
      }
    } else if (errno != EINTR) {
      return fail_errno("cannot send a line", kPlace);
    }
  }
  return {};
}

Result<Received> LineChannel::receive_line(std::chrono::milliseconds timeout,
                                           std::span<const int> wake_fds) {
  const Deadline deadline(timeout);
  std::string line;
  while (!take_line(line)) {
    if (buffer_.size() > line_limit_) {
      return fail(ErrorKind::kCorrupt, "received a line of more than {} bytes", line_limit_);
    }
    CB_ASSIGN(const auto event, wait_for(socket_.get(), POLLIN, deadline, wake_fds));
    if (std::holds_alternative<TimedOut>(event)) {
      return TimedOut{};
    }
    if (const auto* woken = std::get_if<Woken>(&event)) {
      return *woken;
    }
    CB_ASSIGN(const bool more, fill());
    if (!more && buffer_.empty()) {
      return Closed{};
    }
    if (!more) {
      return fail(ErrorKind::kCorrupt,
                  "the stream ended in the middle of a line: half a line of {} bytes",
                  buffer_.size());
    }
  }
  return line;
}

// Leaves only the beginning of a line in the buffer when it finds no whole one.
bool LineChannel::take_line(std::string& line) {
  const size_t end = buffer_.find('\n', searched_);
  if (end == std::string::npos) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched_ = buffer_.size();
    return false;
  }
  line.assign(buffer_, begin_, end - begin_);
  begin_ = searched_ = end + 1;
  return true;
}

Result<bool> LineChannel::fill() {
  std::array<char, 65536> chunk;
  const size_t room = std::min(chunk.size(), line_limit_ + 1 - buffer_.size());
  while (true) {
    const ssize_t count = ::recv(socket_.get(), chunk.data(), room, MSG_DONTWAIT);
    if (count >= 0) {
      buffer_.append(chunk.data(), static_cast<size_t>(count));
      return count > 0;
    }
    if (errno == EAGAIN) {
      return true;
    }
    if (errno == ECONNRESET) {  // it closed without reading all that was sent to it
      return false;
    }
    if (errno != EINTR) {
      return fail_errno("cannot receive a line", kPlace);
    }
  }
}

}  // namespace crossbind::process
