// Where two programs on one machine meet: a listening socket, and connecting to one. An address is
// the text "unix:PATH" or "tcp:HOST:PORT" (an IPv6 host in brackets: "tcp:[::1]:4000"). Knows
// nothing of what is said over it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "process/file_descriptor.h"
#include "process/waiting.h"

namespace crossbind::process {

using Accepted = std::variant<FileDescriptor, TimedOut, Woken>;

class Listener {
 public:
  // The socket file must not exist yet; it is removed with the listener.
  [[nodiscard]] static Result<Listener> listen_unix(const std::filesystem::path& path);
  // Port 0: one that is free. An IPv6 host comes without brackets here.
  [[nodiscard]] static Result<Listener> listen_tcp(const std::string& host, uint16_t port);

  Listener(Listener&& other) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  [[nodiscard]] const std::string& address() const { return address_; }
  // Readable when somebody waits to be accepted; to poll, not to read.
  [[nodiscard]] int descriptor() const { return socket_.get(); }

  // The next connection. A descriptor in wake_fds that becomes readable ends the waiting.
  [[nodiscard]] Result<Accepted> accept(std::chrono::milliseconds timeout,
                                        std::span<const int> wake_fds = {});

 private:
  Listener(FileDescriptor socket, std::string address)
      : socket_(std::move(socket)),
        address_(std::move(address)) {}

  FileDescriptor socket_;
  std::string address_;
};

[[nodiscard]] Result<FileDescriptor> connect(std::string_view address);

}  // namespace crossbind::process
