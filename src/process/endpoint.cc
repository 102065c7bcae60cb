#include "process/endpoint.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <memory>

namespace crossbind::process {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kTcp = "tcp:";

struct HostPort {
  std::string host;  // without brackets
  uint16_t port = 0;
};

tl::unexpected<Error> malformed(std::string_view address, const char* what) {
  return tl::unexpected(Error{ErrorKind::kInvalid,
                              fmt::format("\"{}\" is not an address: {}", address, what),
                              {},
                              "Write unix:PATH, tcp:HOST:PORT or tcp:[IPV6]:PORT."});
}

Result<HostPort> parse_tcp(std::string_view address) {
  std::string_view rest = address.substr(kTcp.size());
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) {
    return malformed(address, "it has no port");
  }
  std::string_view host = rest.substr(0, colon);
  const std::string_view port_text = rest.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return malformed(address, "an IPv6 host stands in brackets");
  }
  if (host.empty()) {
    return malformed(address, "it has no host");
  }
  uint16_t port = 0;
  const char* end = port_text.data() + port_text.size();
  const auto [stop, error] = std::from_chars(port_text.data(), end, port);
  if (error != std::errc() || stop != end || port == 0) {
    return malformed(address, "the port is not a number from 1 to 65535");
  }
  return HostPort{std::string(host), port};
}

Result<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty()) {
    return fail(ErrorKind::kInvalid, "the path of a Unix socket is empty");
  }
  if (path.size() >= sizeof address.sun_path) {
    return tl::unexpected(
        Error{ErrorKind::kInvalid,
              fmt::format("the path of a Unix socket has {} bytes, and at most {} are possible",
                          path.size(),
                          sizeof address.sun_path - 1),
              path,
              "Use a directory with a shorter name (TMPDIR)."});
  }
  path.copy(address.sun_path, path.size());
  return address;
}

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Result<AddressList> look_up(const HostPort& target, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(target.host.c_str(), std::to_string(target.port).c_str(), &hints, &found);
  if (error != 0) {
    return tl::unexpected(Error{ErrorKind::kNotFound,
                                fmt::format("cannot find the host: {}", ::gai_strerror(error)),
                                target.host,
                                {}});
  }
  return AddressList(found, ::freeaddrinfo);
}

void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(
      socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // has no meaning for Unix sockets
}

uint16_t bound_port(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// As connect(), which a signal does not undo but only leaves to finish by itself.
bool connect_whole(int socket, const sockaddr* address, socklen_t size) {
  if (::connect(socket, address, size) == 0) {
    return true;
  }
  if (errno != EINTR) {
    return false;
  }
  if (!wait_for(socket, POLLOUT, Deadline(kForever), {})) {
    return false;
  }
  socklen_t length = sizeof errno;
  int error = 0;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  errno = error;
  return error == 0;
}

Result<FileDescriptor> connect_unix(const std::string& path) {
  CB_ASSIGN(const sockaddr_un address, unix_address(path));
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open() ||
      !connect_whole(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address)) {
    return fail_errno("cannot connect", path);
  }
  return socket;
}

}  // namespace

Result<Listener> Listener::listen_unix(const std::filesystem::path& path) {
  CB_ASSIGN(const sockaddr_un address, unix_address(path.string()));
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail_errno("cannot listen", path.string());
  }
  Listener listener(std::move(socket), fmt::format("{}{}", kUnix, path.string()));
  if (::listen(listener.socket_.get(), SOMAXCONN) != 0) {
    return fail_errno("cannot listen", path.string());
  }
  return listener;
}

Result<Listener> Listener::listen_tcp(const std::string& host, uint16_t port) {
  CB_ASSIGN(const AddressList found, look_up({host, port}, AI_PASSIVE));
  FileDescriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Connections of a program that has ended do not keep its port from the next one.
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!socket.is_open() || ::bind(socket.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    return fail_errno("cannot listen", fmt::format("{} port {}", host, port));
  }
  const std::string shown = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  const uint16_t bound = bound_port(socket.get());
  return Listener(std::move(socket), fmt::format("{}{}:{}", kTcp, shown, bound));
}

Listener::~Listener() {
  if (socket_.is_open() && address_.starts_with(kUnix)) {
    ::unlink(address_.c_str() + kUnix.size());
  }
}

Result<Accepted> Listener::accept(std::chrono::milliseconds timeout,
                                  std::span<const int> wake_fds) {
  const Deadline deadline(timeout);
  while (true) {
    CB_ASSIGN(const auto event, wait_for(socket_.get(), POLLIN, deadline, wake_fds));
    if (std::holds_alternative<TimedOut>(event)) {
      return TimedOut{};
    }
    if (const auto* woken = std::get_if<Woken>(&event)) {
      return *woken;
    }
    FileDescriptor connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.is_open()) {
      send_at_once(connection.get());
      return connection;
    }
    // Who knocked may have gone again.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      return fail_errno("cannot accept a connection", address_);
    }
  }
}

Result<FileDescriptor> connect(std::string_view address) {
  if (address.starts_with(kUnix)) {
    return connect_unix(std::string(address.substr(kUnix.size())));
  }
  if (!address.starts_with(kTcp)) {
    return malformed(address, "it begins with neither unix: nor tcp:");
  }
  CB_ASSIGN(const HostPort target, parse_tcp(address));
  CB_ASSIGN(const AddressList found, look_up(target, 0));
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    FileDescriptor socket(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.is_open() && connect_whole(socket.get(), each->ai_addr, each->ai_addrlen)) {
      send_at_once(socket.get());
      return socket;
    }
  }
  return fail_errno("cannot connect", std::string(address));
}

}  // namespace crossbind::process
