#include "process/endpoint.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>

#include "process/line_channel.h"
#include "testing/testing.h"

namespace crossbind::process {
namespace {

using std::chrono::milliseconds;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::MatchesRegex;

class EndpointTest : public testing::ScratchTest {
 protected:
  // A line there and a line back.
  static void expect_talk(Listener& listener) {
    auto client = connect(listener.address());
    ASSERT_THAT(client, is_ok());
    auto server = listener.accept(kForever);
    ASSERT_THAT(server, is_ok());
    EXPECT_NE(::fcntl(client->get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(::fcntl(std::get<FileDescriptor>(*server).get(), F_GETFD) & FD_CLOEXEC, 0);
    LineChannel there(std::move(*client));
    LineChannel here(std::get<FileDescriptor>(std::move(*server)));
    ASSERT_THAT(there.send_line("hello"), is_ok());
    EXPECT_EQ(std::get<std::string>(here.receive_line(kForever).value()), "hello");
    ASSERT_THAT(here.send_line("good day"), is_ok());
    EXPECT_EQ(std::get<std::string>(there.receive_line(kForever).value()), "good day");
  }
};

TEST_F(EndpointTest, ConnectsOverAUnixSocketAndRemovesIt) {
  const auto path = scratch("meet");
  {
    auto listener = Listener::listen_unix(path);
    ASSERT_THAT(listener, is_ok());
    EXPECT_EQ(listener->address(), "unix:" + path.string());
    expect_talk(*listener);
    EXPECT_TRUE(std::filesystem::exists(path));
    const Listener moved = std::move(*listener);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(EndpointTest, TakesThePortOfOneThatHasEnded) {
  uint16_t port = 0;
  {
    auto first = Listener::listen_tcp("127.0.0.1", 0).value();
    const std::string address = first.address();
    port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    auto client = connect(address).value();
    auto accepted = first.accept(kForever).value();
    FileDescriptor server = std::get<FileDescriptor>(std::move(accepted));
    EXPECT_THAT(Listener::listen_tcp("127.0.0.1", port), fails_with(HasSubstr("in use")));
    server.close();  // first: the port is then kept for a minute
  }
  EXPECT_THAT(Listener::listen_tcp("127.0.0.1", port), is_ok());
}

TEST_F(EndpointTest, ConnectsOverTcp) {
  auto listener = Listener::listen_tcp("127.0.0.1", 0);
  ASSERT_THAT(listener, is_ok());
  EXPECT_THAT(listener->address(), MatchesRegex("tcp:127\\.0\\.0\\.1:[1-9][0-9]*"));
  expect_talk(*listener);
}

TEST_F(EndpointTest, ConnectsOverIpv6) {
  auto listener = Listener::listen_tcp("::1", 0);
  if (!listener) {
    CROSSBIND_SKIP("ipv6", listener.error().to_string());
  }
  EXPECT_THAT(listener->address(), MatchesRegex("tcp:\\[::1\\]:[1-9][0-9]*"));
  expect_talk(*listener);
}

TEST_F(EndpointTest, DelaysNoSmallLineOverTcp) {
  auto listener = Listener::listen_tcp("127.0.0.1", 0);
  const auto client = connect(listener->address());
  const auto server = listener->accept(kForever);
  for (const int fd : {client->get(), std::get<FileDescriptor>(*server).get()}) {
    int on = 0;
    socklen_t size = sizeof on;
    ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &size), 0);
    EXPECT_NE(on, 0);
  }
}

TEST_F(EndpointTest, StopsWaitingForNobody) {
  auto listener = Listener::listen_unix(scratch("meet"));
  EXPECT_TRUE(std::holds_alternative<TimedOut>(listener->accept(milliseconds(1)).value()));
  const FileDescriptor event(::eventfd(1, EFD_CLOEXEC));
  const std::array wake{event.get()};
  EXPECT_EQ(std::get<Woken>(listener->accept(kForever, wake).value()).fd, event.get());
}

TEST_F(EndpointTest, RefusesAPathThatNoUnixSocketCanHave) {
  const auto path = scratch(std::string(120, 'x'));
  EXPECT_THAT(Listener::listen_unix(path), fails_with(HasSubstr("at most 107 are possible")));
  EXPECT_THAT(connect("unix:" + path.string()), fails_with(HasSubstr("at most 107 are possible")));
  EXPECT_THAT(connect("unix:"), fails_with(HasSubstr("is empty")));
}

TEST_F(EndpointTest, DoesNotReplaceWhatStandsInItsPlace) {
  const auto path = scratch("taken");
  ASSERT_THAT(write_file(path, "mine"), is_ok());
  EXPECT_THAT(Listener::listen_unix(path), fails_with(HasSubstr("Address already in use")));
  EXPECT_EQ(read_file(path).value(), "mine");
}

TEST_F(EndpointTest, SaysWhoIsNotThere) {
  EXPECT_THAT(connect("unix:" + scratch("nobody").string()),
              fails_with(HasSubstr("nobody: cannot connect: No such file")));
  std::string address;
  { address = Listener::listen_tcp("127.0.0.1", 0)->address(); }
  EXPECT_THAT(connect(address), fails_with(HasSubstr(address + ": cannot connect: ")));
}

TEST_F(EndpointTest, SaysWhatIsWrongWithAnAddress) {
  const std::array<std::array<std::string, 2>, 10> cases{{
      {"", "neither unix: nor tcp:"},
      {"http://localhost", "neither unix: nor tcp:"},
      {"tcp:localhost", "no port"},
      {"tcp::4000", "no host"},
      {"tcp:[]:4000", "no host"},
      {"tcp:::1:4000", "IPv6 host stands in brackets"},
      {"tcp:[::1:4000", "IPv6 host stands in brackets"},
      {"tcp:localhost:", "port is not a number"},
      {"tcp:localhost:0", "port is not a number"},
      {"tcp:localhost:65536", "port is not a number"},
  }};
  for (const auto& [address, message] : cases) {
    EXPECT_THAT(connect(address), fails_with(HasSubstr(message))) << address;
  }
}

}  // namespace
}  // namespace crossbind::process
