#include "serve/http_exchange.h"

#include "serve/request_head.h"
#include "testing/testing.h"

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
  return reply_to(head,
                  [](const Request& request) {
                    return Response{200, "text/plain", echo(request), {}, false};
                  })
      .bytes;
}

std::string get(const std::string& target, const std::string& headers = "") {
  return echoed("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
}

TEST(HttpExchange, DecodesPathAndQuery) {
  EXPECT_THAT(get("/a%20b?x=1%262&y=%C3%A4"), EndsWith("\r\n\r\nGET|/a b|x=1&2|y=\u00E4"));
  EXPECT_THAT(get("/%2e%2e/%2Fetc"), EndsWith("\r\n\r\nGET|/..//etc"));
}

TEST(HttpExchange, SaysWhatBrowsersMustNotDoInEveryAnswer) {
  for (const auto& reply : {get("/"),
                            get("/", "Content-Length: 5\r\n"),
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

TEST(HttpExchange, RefusesWhatIsNoRequestWithAProblem) {
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

TEST(HttpExchange, SaysThatItOnlyReadsWhateverTheMethod) {
  for (const auto* method : {"POST", "OPTIONS", "TRACE", "QUERY", "BREW"}) {
    EXPECT_THAT(echoed(fmt::format("{} / HTTP/1.1\r\nHost: localhost\r\n\r\n", method)),
                AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n")))
        << method;
  }
}

TEST(HttpExchange, BoundsTheFirstLineTheHeadersAndTheBody) {
  EXPECT_THAT(get("/" + std::string(3000, 'a')), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("/" + std::string(5000, 'a')), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(echoed(std::string(kMostHead + 1, 'a')), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(get("/", "X: " + std::string(kMostHead, 'a') + "\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(get("/", "Content-Length: 0\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("/", "Content-Length: 1\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(get("/", "Content-Length: -1\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(get("/", "transfer-encoding: chunked\r\n"), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpExchange, KnowsNoRangesEncodingsAndExpectations) {
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 1000; ++i) {
    ranges += ",0-";
  }
  const auto plain = get("/");
  EXPECT_EQ(get("/", ranges + "\r\n"), plain);
  EXPECT_EQ(get("/", "Accept-Encoding: gzip, br\r\n"), plain);
  EXPECT_EQ(get("/", "Expect: 100-continue\r\n"), plain);
}

TEST(HttpExchange, AnswersAHeadRequestWithoutTheBody) {
  const auto head = echoed("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(
      head,
      AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Length: 6\r\n"), EndsWith("\r\n\r\n")));
}

TEST(HttpExchange, LeavesAStreamOpenBehindItsBeginning) {
  const auto reply = reply_to("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", [](const Request&) {
    return Response{200, "text/event-stream", "retry: 2000\n\n", {}, true};
  });
  EXPECT_TRUE(reply.is_stream);
  EXPECT_THAT(reply.bytes,
              AllOf(HasSubstr("Content-Type: text/event-stream\r\n"),
                    Not(HasSubstr("Content-Length")),
                    EndsWith("\r\n\r\nretry: 2000\n\n")));
}

TEST(HttpExchange, TurnsAnExceptionIntoAProblem) {
  const auto reply =
      reply_to("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
               [](const Request&) -> Response { throw std::runtime_error("out of luck"); });
  EXPECT_THAT(reply.bytes, AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("out of luck")));
}

}  // namespace
}  // namespace crossbind::serve
