// Requests as clients send them, through a connection and back.
#include "serve/http_message.h"

#include "serve/running_connections.h"

namespace crossbind::serve {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The request as the routes would see it.
std::string echo(const Request& request) {
  std::string text = request.method + "|" + request.path;
  for (const auto& [name, value] : request.query) {
    text += "|" + name + "=" + value;
  }
  return text;
}

std::string echoed(const std::string& head) {
  const RunningConnections connections([](const Request& request) {
    return Response{200, "text/plain", echo(request), {}, false};
  });
  return connections.ask(head);
}

std::string request_for(const std::string& target, const std::string& headers = "") {
  return echoed("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
}

TEST(HttpMessage, DecodesPathAndQuery) {
  EXPECT_THAT(request_for("/a%20b?x=1%262&y=%C3%A4"), EndsWith("\r\n\r\nGET|/a b|x=1&2|y=\u00E4"));
  EXPECT_THAT(request_for("/%2e%2e/%2Fetc"), EndsWith("\r\n\r\nGET|/..//etc"));
}

TEST(HttpMessage, SaysWhatBrowsersMustNotDoInEveryAnswer) {
  for (const auto& reply : {request_for("/"),
                            request_for("/", "Content-Length: 5\r\n"),
                            echoed("nonsense\r\n\r\n"),
                            echoed("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n")}) {
    EXPECT_THAT(reply,
                AllOf(HasSubstr("\r\nContent-Security-Policy: default-src 'none'; script-src "
                                "'self'; style-src 'self';"),
                      HasSubstr("frame-ancestors 'none'"),
                      Not(HasSubstr("unsafe")),
                      HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"),
                      HasSubstr("\r\nReferrer-Policy: no-referrer\r\n"),
                      HasSubstr("\r\nCross-Origin-Resource-Policy: same-origin\r\n"),
                      HasSubstr("\r\nConnection: close\r\n")));
  }
}

TEST(HttpMessage, RefusesWhatIsNoRequestWithAProblem) {
  for (const auto* head : {"nonsense\r\n\r\n",
                           "GET / HTTP/3\r\nHost: localhost\r\n\r\n",
                           "GET /\r\nHost: localhost\r\n\r\n",
                           "GET / HTTP/1.1\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
                           "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
                           "\r\n\r\n"}) {
    EXPECT_THAT(echoed(head),
                AllOf(StartsWith("HTTP/1.1 400 "),
                      HasSubstr("application/problem+json"),
                      HasSubstr("\"status\":400")))
        << head;
  }
  EXPECT_THAT(echoed("GET /a" + std::string(1, '\0') + " HTTP/1.1\r\nHost: a\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
}

TEST(HttpMessage, SaysThatItOnlyReadsWhateverTheMethod) {
  for (const auto* method : {"POST", "OPTIONS", "TRACE", "QUERY", "BREW"}) {
    EXPECT_THAT(echoed(fmt::format("{} / HTTP/1.1\r\nHost: localhost\r\n\r\n", method)),
                AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n")))
        << method;
  }
}

TEST(HttpMessage, BoundsTheFirstLineTheHeadersAndTheBody) {
  EXPECT_THAT(request_for("/" + std::string(3000, 'a')), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(request_for("/" + std::string(5000, 'a')), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(echoed(std::string(kMostHead + 1, 'a')), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(request_for("/", "X: " + std::string(kMostHead, 'a') + "\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(request_for("/", "Content-Length: 0\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(request_for("/", "Content-Length: 1\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(request_for("/", "Content-Length: -1\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(request_for("/", "transfer-encoding: chunked\r\n"), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpMessage, KnowsNoRangesEncodingsAndExpectations) {
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 1000; ++i) {
    ranges += ",0-";
  }
  const auto plain = request_for("/");
  EXPECT_EQ(request_for("/", ranges + "\r\n"), plain);
  EXPECT_EQ(request_for("/", "Accept-Encoding: gzip, br\r\n"), plain);
  EXPECT_EQ(request_for("/", "Expect: 100-continue\r\n"), plain);
}

TEST(HttpMessage, AnswersAHeadRequestWithoutTheBody) {
  const auto head = echoed("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(
      head,
      AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Length: 6\r\n"), EndsWith("\r\n\r\n")));
  EXPECT_THAT(echoed("HEAD / HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 400 "), EndsWith("\r\n\r\n")));
}

TEST(HttpMessage, LeavesAStreamOpenBehindItsBeginning) {
  RunningConnections connections([](const Request&) {
    return Response{200, "text/event-stream", "retry: 2000\n\n", {}, true};
  });
  auto client = connections.client();
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(client.read_until("retry: 2000\n\n"));
  EXPECT_THAT(client.received(),
              AllOf(HasSubstr("Content-Type: text/event-stream\r\n"),
                    Not(HasSubstr("Content-Length")),
                    EndsWith("\r\n\r\nretry: 2000\n\n")));
  connections.publish("news", "data: more\n\n");
  EXPECT_TRUE(client.read_until("data: more\n\n"));
}

TEST(HttpMessage, TurnsAnExceptionIntoAProblem) {
  const RunningConnections connections(
      [](const Request&) -> Response { throw std::runtime_error("out of luck"); });
  EXPECT_THAT(connections.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("out of luck")));
}

TEST(HttpMessage, TellsARequestFromWhatMayFollowItInOneWayOnly) {
  for (const auto* headers : {"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
                              "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
                              "Transfer-Encoding: identity\r\n",
                              "Transfer-Encoding: gzip, chunked\r\n",
                              "Content-Length: 0\r\nContent-Length: 5\r\n",
                              "Content-Length: 0, 5\r\n",
                              "Content-Length: +0\r\n",
                              "Content-Length: 99999999999999999999999\r\n",
                              "Content-Length: 18446744073709551615\r\n"}) {
    EXPECT_THAT(request_for("/", headers), StartsWith("HTTP/1.1 413 ")) << headers;
  }
  for (const auto* headers : {"Transfer-Encoding : chunked\r\n",
                              "Content-Length\t: 5\r\n",
                              "X\x01: y\r\n",
                              "X: \x01\r\n",
                              "X: y\rTransfer-Encoding: chunked\r\n"}) {
    EXPECT_THAT(request_for("/", headers), StartsWith("HTTP/1.1 400 ")) << headers;
  }
  // What a server may do with it by RFC 9112, 5.2: the fold is a space.
  EXPECT_THAT(request_for("/", "X: y\r\n Transfer-Encoding: chunked\r\n"),
              StartsWith("HTTP/1.1 200 "));
}

TEST(HttpMessage, SaysNothingOfALengthWhereThereIsNoBody) {
  for (const int status : {204, 304}) {
    const RunningConnections connections([&](const Request&) {
      return Response{status, "", "", {{"ETag", "x"}}, false};
    });
    EXPECT_THAT(connections.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                AllOf(StartsWith(fmt::format("HTTP/1.1 {} ", status)),
                      HasSubstr("\r\nETag: x\r\n"),
                      Not(HasSubstr("Content-Length")),
                      EndsWith("\r\n\r\n")));
  }
}

}  // namespace
}  // namespace crossbind::serve
