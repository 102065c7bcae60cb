// For tests: a client that says nothing that it is not told to.
#pragma once

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <string>

#include "process/endpoint.h"

namespace crossbind::serve {

// A connection, and what came over it.
class RawClient {
 public:
  explicit RawClient(const std::string& address) : socket_(process::connect(address).value()) {
    constexpr int kPatience = 120;  // seconds for what never takes so long: the machine may be busy
    const timeval patience{kPatience, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  RawClient& send(const std::string& bytes) {
    for (size_t sent = 0; sent < bytes.size();) {
      const ssize_t count =
          ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) {
        break;  // the server need not take all of it
      }
      sent += static_cast<size_t>(count);
    }
    return *this;
  }
  // Nothing more will be sent; it still reads.
  RawClient& finish() {
    ::shutdown(socket_.get(), SHUT_WR);
    return *this;
  }
  // Until the server closes the connection.
  std::string read_all() {
    while (read_some()) {
    }
    return received_;
  }
  // Whether it came before the server closed the connection.
  bool read_until(const std::string& text) {
    while (received_.find(text) == std::string::npos) {
      if (!read_some()) {
        return false;
      }
    }
    return true;
  }
  void forget() { received_.clear(); }
  [[nodiscard]] const std::string& received() const { return received_; }

 private:
  bool read_some() {
    std::array<char, 65536> piece{};
    const ssize_t count = ::recv(socket_.get(), piece.data(), piece.size(), 0);
    received_.append(piece.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return count > 0;
  }

  process::FileDescriptor socket_;
  std::string received_;
};

}  // namespace crossbind::serve
