#include "serve/connections.h"

#include <atomic>

#include "serve/running_connections.h"

namespace crossbind::serve {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr milliseconds kLong{120'000};
constexpr milliseconds kShort{50};
constexpr size_t kLarge = size_t{16} << 20;  // more than sockets hold between two programs

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

Response hello(const Request& request) {
  return {200, "text/plain", "hello " + request.path, {}, false};
}

Response stream(const Request&) {
  return {200, "text/event-stream", "beginning\n\n", {}, true};
}

Limits patient() {
  Limits limits;
  limits.patience = kLong;
  limits.heartbeat = kLong;
  return limits;
}

Limits impatient() {
  Limits limits = patient();
  limits.patience = kShort;
  return limits;
}

TEST(Connections, AnswerARequestHoweverItIsCut) {
  const RunningConnections connections(hello, patient());
  auto client = connections.client();
  for (const char byte : get("/a")) {
    client.send(std::string(1, byte));
  }
  EXPECT_THAT(client.read_all(), EndsWith("\r\n\r\nhello /a"));
}

TEST(Connections, AnswerAClientThatHasFinishedSending) {
  const RunningConnections connections(hello, patient());
  EXPECT_THAT(connections.client().send(get("/a")).finish().read_all(), EndsWith("hello /a"));
}

TEST(Connections, SayNothingToAClientThatLeavesBeforeItHasAsked) {
  const RunningConnections connections(hello, patient());
  EXPECT_THAT(connections.client().finish().read_all(), IsEmpty());
  EXPECT_THAT(connections.client().send("GET / HTTP/1.1\r\nHo").finish().read_all(), IsEmpty());
  EXPECT_THAT(connections.ask(get("/a")), EndsWith("hello /a"));
}

TEST(Connections, AreForOneRequest) {
  const RunningConnections connections(hello, patient());
  const auto reply = connections.ask(get("/a") + get("/b") + get("/c"));
  EXPECT_THAT(reply, EndsWith("hello /a"));
  EXPECT_THAT(reply, HasSubstr("\r\nConnection: close\r\n"));
}

TEST(Connections, LoseNoAnswerToAClientThatGoesOnSending) {
  const RunningConnections connections(hello, patient());
  EXPECT_THAT(connections.ask(get("/a") + std::string(1'000'000, 'x')), EndsWith("hello /a"));
}

TEST(Connections, LetAClientGoThatTakesTooLongToAsk) {
  const RunningConnections connections(hello, impatient());
  auto silent = connections.client();
  auto slow = connections.client();
  slow.send("GET / HTTP/1.1\r\n");
  EXPECT_THAT(silent.read_all(), IsEmpty());
  EXPECT_THAT(slow.read_all(), IsEmpty());
}

TEST(Connections, LetAClientGoThatTakesNothingOfItsAnswer) {
  std::atomic<int> asked = 0;
  const RunningConnections connections(
      [&](const Request&) {
        ++asked;
        return Response{200, "text/plain", std::string(kLarge, 'x'), {}, false};
      },
      impatient());
  auto client = connections.client();
  client.send(get("/"));
  while (asked == 0) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(10 * kShort);
  EXPECT_THAT(client.read_all(), SizeIs(::testing::Lt(kLarge)));
}

TEST(Connections, GiveALargeAnswerWholeToWhoTakesIt) {
  const RunningConnections connections(
      [](const Request&) {
        return Response{200, "text/plain", std::string(kLarge, 'x'), {}, false};
      },
      patient());
  EXPECT_THAT(connections.ask(get("/")), SizeIs(::testing::Gt(kLarge)));
}

TEST(Connections, BeyondTheirNumberWaitAndAreAllAnswered) {
  Limits limits = patient();
  limits.connections = 2;
  const RunningConnections connections(hello, limits);
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(connections.client());
    clients.back().send(get("/a"));
  }
  while (!clients.empty()) {
    RawClient first = std::move(clients.front());
    clients.erase(clients.begin());
    EXPECT_THAT(first.read_all(), EndsWith("hello /a"));
  }
}

TEST(Connections, OfClientsThatDoNotAskMakeRoomForOthers) {
  Limits limits = patient();
  limits.connections = 2;
  const RunningConnections connections(hello, limits);
  auto first = connections.client();
  auto second = connections.client();
  second.send("GET /");
  EXPECT_THAT(connections.ask(get("/a")), EndsWith("hello /a"));
  EXPECT_THAT(first.read_all(), IsEmpty());
  EXPECT_THAT(second.read_all(), IsEmpty());
}

TEST(Connections, AreAnsweredByAsManyThreadsAsThereMayBe) {
  Limits limits = patient();
  limits.threads = 3;
  std::atomic<int> busy = 0;
  std::atomic<int> most = 0;
  const RunningConnections connections(
      [&](const Request& request) {
        const int now = ++busy;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(milliseconds(2));
        --busy;
        return hello(request);
      },
      limits);
  std::vector<RawClient> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(connections.client());
    clients.back().send(get("/a"));
  }
  for (auto& client : clients) {
    EXPECT_THAT(client.read_all(), EndsWith("hello /a"));
  }
  EXPECT_LE(most, 3);
}

TEST(Connections, AreReadWhileAnAnswerIsBeingMade) {
  Limits limits = patient();
  limits.threads = 2;
  std::binary_semaphore may_end{0};
  const RunningConnections connections(
      [&](const Request& request) {
        if (request.path == "/long") {
          may_end.acquire();
        }
        return hello(request);
      },
      limits);
  auto waiting = connections.client();
  waiting.send(get("/long"));
  EXPECT_THAT(connections.ask(get("/a")), EndsWith("hello /a"));
  EXPECT_THAT(connections.ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  may_end.release();
  EXPECT_THAT(waiting.read_all(), EndsWith("hello /long"));
}

TEST(Connections, TellEveryListenerAndThoseWhoComeLaterTheLatestOfAKind) {
  RunningConnections connections(stream, patient());
  auto first = connections.client();
  auto second = connections.client();
  for (auto* client : {&first, &second}) {
    client->send(get("/"));
    ASSERT_TRUE(client->read_until("beginning\n\n"));
  }
  connections.publish("a", "a 1\n\n");
  connections.publish("b", "b 1\n\n");
  connections.publish("a", "a 2\n\n");
  for (auto* client : {&first, &second}) {
    ASSERT_TRUE(client->read_until("a 2\n\n"));
    EXPECT_THAT(client->received(), EndsWith("beginning\n\na 1\n\nb 1\n\na 2\n\n"));
  }
  auto late = connections.client();
  late.send(get("/"));
  ASSERT_TRUE(late.read_until("b 1\n\n"));
  EXPECT_THAT(late.received(), EndsWith("beginning\n\na 2\n\nb 1\n\n"));
}

TEST(Connections, KeepListenersLongerThanTheirPatienceAndGiveASignOfLife) {
  Limits limits = impatient();
  limits.heartbeat = 4 * kShort;
  const RunningConnections connections(stream, limits);
  auto client = connections.client();
  client.send(get("/"));
  ASSERT_TRUE(client.read_until(": still here\n\n"));
  client.forget();
  EXPECT_TRUE(client.read_until(": still here\n\n"));
}

TEST(Connections, NoticeThatAListenerHasLeft) {
  RunningConnections connections(stream, patient());
  {
    auto client = connections.client();
    client.send(get("/"));
    ASSERT_TRUE(client.read_until("beginning"));
  }
  connections.wait_for_leaver();
  // A client who leaves before the answer is there is noticed too.
  connections.client().send(get("/"));
  connections.wait_for_leaver();
}

TEST(Connections, LetAListenerGoThatTakesNoEvents) {
  Limits limits = patient();
  limits.most_unread = 4096;
  RunningConnections connections(stream, limits);
  auto client = connections.client();
  client.send(get("/"));
  ASSERT_TRUE(client.read_until("beginning"));
  auto other = connections.client();
  other.send(get("/"));
  connections.publish("large", std::string(kLarge, 'x'));
  connections.wait_for_leaver();
  EXPECT_THAT(client.read_all(), Not(HasSubstr("xx")));
}

TEST(Connections, LetAListenerGoThatIsTooSlowForAnEvent) {
  Limits limits = impatient();
  limits.most_unread = 2 * kLarge;
  RunningConnections connections(stream, limits);
  auto client = connections.client();
  client.send(get("/"));
  ASSERT_TRUE(client.read_until("beginning"));
  connections.publish("large", std::string(kLarge, 'x'));
  connections.wait_for_leaver();
  EXPECT_THAT(client.read_all(), SizeIs(::testing::Lt(kLarge)));
}

TEST(Connections, EndAtOnceWhoeverIsConnected) {
  RunningConnections connections(
      [](const Request& request) {
        return request.path == "/s" ? stream(request) : hello(request);
      },
      patient());
  auto silent = connections.client();
  auto slow = connections.client();
  slow.send("GET /");
  auto listener = connections.client();
  listener.send(get("/s"));
  ASSERT_TRUE(listener.read_until("beginning"));
  connections.stop();
}

}  // namespace
}  // namespace crossbind::serve
