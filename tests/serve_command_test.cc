// The program as users run it: serve, over sockets of this machine.
#include <nlohmann/json.hpp>

#include <signal.h>
#include <sys/resource.h>

#include <memory>

#include "base/digest.h"
#include "report/made_up.h"
#include "run_fixture.h"
#include "serve/raw_client.h"
#include "store/open.h"

namespace crossbind {
namespace {

using nlohmann::json;
using serve::RawClient;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class ServeCommandTest : public testing::ScratchTest {
 protected:
  ServeCommandTest() {
    const auto store = open_store();
    EXPECT_THAT(store->transact([&] { return report::make_up(*store); }), is_ok());
  }

  [[nodiscard]] std::unique_ptr<store::ResultStore> open_store() const {
    return store::open(scratch("s.db")).value();
  }

  // Returns when it listens. Clients that are slow are let go after so many seconds.
  void start(const std::vector<std::string>& options = {},
             const std::vector<std::string>& environment = {},
             const std::string& patience = "1") {
    std::vector<std::string> arguments = {testing::build_path("crossbind"),
                                          "serve",
                                          "--store",
                                          "s.db",
                                          "--port",
                                          "0",
                                          "--json",
                                          "--patience"};
    arguments.push_back(patience);
    arguments.insert(arguments.end(), options.begin(), options.end());
    program_ = std::make_unique<RunningProgram>(
        arguments, environment, scratch(""), fmt::format("serve-{}", ++starts_));
    ASSERT_TRUE(
        comes_true([&] { return program_->out().ends_with("\n") || program_->has_ended(); }));
    ASSERT_FALSE(program_->has_ended()) << program_->error();
    started_ = json::parse(program_->out());
    const std::string url = started_["url"];
    address_ = "tcp:" + url.substr(7, url.size() - 8);  // http://HOST:PORT/
  }
  [[nodiscard]] RawClient client() const { return RawClient(address_); }
  [[nodiscard]] std::string raw(const std::string& request) const {
    return client().send(request).read_all();
  }
  [[nodiscard]] std::string get(const std::string& target, const std::string& headers = "") const {
    return raw("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  }
  [[nodiscard]] static json body(const std::string& reply) {
    return json::parse(reply.substr(reply.find("\r\n\r\n") + 4));
  }

  [[nodiscard]] process::Outcome fail_to_start(std::vector<std::string> options,
                                               std::vector<std::string> environment = {}) const {
    options.insert(options.begin(), {testing::build_path("crossbind"), "serve"});
    return process::run({.arguments = std::move(options),
                         .directory = scratch(""),
                         .environment = std::move(environment),
                         .while_running = {}})
        .value();
  }

  // What another process does while a study runs: one more trial.
  void add_trial(const std::string& identity) const {
    const auto store = open_store();
    store::TrialRecord trial;
    trial.identity = identity;
    trial.axes.binding = "pytorch/rust";
    trial.axes.model = "lenet5";
    trial.axes.task = "train";
    ASSERT_THAT(store->add_trial(store->studies().value().front().id, trial), is_ok());
  }

  std::unique_ptr<RunningProgram> program_;
  int starts_ = 0;
  json started_;
  std::string address_;
};

TEST_F(ServeCommandTest, ShowsAStoreAndChangesNothingInIt) {
  const auto before = sha256_file(scratch("s.db")).value();
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_THAT(started_["url"].get<std::string>(), MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/"));
  EXPECT_EQ(started_["needs_token"], false);
  EXPECT_THAT(get("/"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("<title>crossbind</title>")));
  EXPECT_EQ(body(get("/api/v1/progress"))["trials"], 132);
  ASSERT_TRUE(comes_true([&] { return get("/api/v1/report").starts_with("HTTP/1.1 200 "); }));
  EXPECT_THAT(get("/api/v1/figures"), HasSubstr("training-1"));
  EXPECT_EQ(sha256_file(scratch("s.db")).value(), before);
}

TEST_F(ServeCommandTest, LeadsToNoFile) {
  ASSERT_NO_FATAL_FAILURE(start());
  for (const auto* target : {"/../../../../etc/passwd",
                             "/assets/../../../../etc/passwd",
                             "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
                             "/assets/..%2f..%2f..%2fetc%2fpasswd",
                             "/assets/%2e%2e%5c%2e%2e%5cetc",
                             "/%2fetc/passwd",
                             "//etc/passwd",
                             "/assets/%00",
                             "/assets/vega.js%00.html",
                             "/assets/....//....//etc/passwd",
                             "/%252e%252e/etc/passwd",
                             "/%c0%ae%c0%ae/etc/passwd",
                             "file:///etc/passwd",
                             "http://localhost/",
                             "*",
                             "/s.db",
                             "/api/v1/..%2f..%2fs.db"}) {
    const auto reply = get(target);
    EXPECT_THAT(reply,
                AllOf(StartsWith("HTTP/1.1 404 "),
                      Not(HasSubstr("root:")),
                      HasSubstr("application/problem+json")))
        << target;
  }
  EXPECT_THAT(raw("GET /assets/" + std::string(1, '\0') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(raw("GET ../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              StartsWith("HTTP/1.1 404 "));
}

TEST_F(ServeCommandTest, RefusesWhatIsTooLarge) {
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_THAT(get("/" + std::string(8000, 'a')), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(get("/?x=" + std::string(100'000, 'a')), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(get("/", "X: " + std::string(100'000, 'a') + "\r\n"), StartsWith("HTTP/1.1 431 "));
  std::string many;
  for (int i = 0; i < 5000; ++i) {
    many += fmt::format("X-{}: y\r\n", i);
  }
  EXPECT_THAT(get("/", many), StartsWith("HTTP/1.1 431 "));
  const std::string large(1'000'000, 'a');
  EXPECT_THAT(
      raw("POST /api/v1/trials HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" +
          large),
      StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(
      raw("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n" +
          large),
      StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServeCommandTest, OnlyReads) {
  ASSERT_NO_FATAL_FAILURE(start());
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"}) {
    EXPECT_THAT(raw(fmt::format("{} /api/v1/studies HTTP/1.1\r\nHost: localhost\r\n\r\n", method)),
                AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n")))
        << method;
  }
}

TEST_F(ServeCommandTest, AnswersToItsOwnNameAlone) {
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_THAT(raw("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), StartsWith("HTTP/1.1 421 "));
  EXPECT_THAT(raw("GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n"),
              StartsWith("HTTP/1.1 421 "));
  EXPECT_THAT(raw("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(ServeCommandTest, SaysWhatIsWrongWithAQuery) {
  ASSERT_NO_FATAL_FAILURE(start());
  for (const auto* query : {"?limit=x",
                            "?limit=",
                            "?limit=%00",
                            "?%ff=%fe",
                            "?limit=1&limit=2",
                            "?&&&=",
                            "?offset=-1",
                            "?outcome=%3Cb%3E"}) {
    const auto reply = get(std::string("/api/v1/trials") + query);
    EXPECT_THAT(reply, ::testing::AnyOf(StartsWith("HTTP/1.1 400 "), StartsWith("HTTP/1.1 200 ")))
        << query;
    EXPECT_TRUE(body(reply).is_object()) << query;
  }
  EXPECT_THAT(get("/api/v1/trials?limit=x"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("not 'x'")));
  EXPECT_THAT(get("/api/v1/trials?%ff=%fe"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(ServeCommandTest, AnswersOthersWhileClientsAreSlow) {
  ASSERT_NO_FATAL_FAILURE(start());
  std::vector<RawClient> slow;
  for (int i = 0; i < 300; ++i) {  // more than it has room for
    slow.push_back(client());
    slow.back().send("GET / HTTP/1.1\r\nHo");
  }
  // These ask for something large and take none of it.
  for (int i = 0; i < 20; ++i) {
    slow.push_back(client());
    slow.back().send("GET /assets/vega.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(get("/api/v1/studies"), StartsWith("HTTP/1.1 200 "));
  }
  for (int i = 0; i < 300; ++i) {
    EXPECT_THAT(slow[i].read_all(), IsEmpty()) << "a request that never came was answered";
  }
}

TEST_F(ServeCommandTest, AnswersAThousandAtATime) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
  ::setrlimit(RLIMIT_NOFILE, &files);
  ASSERT_GE(files.rlim_cur, 1100U) << "the system allows too few open files for this test";
  ASSERT_NO_FATAL_FAILURE(start({}, {}, "60"));
  std::vector<RawClient> clients;
  clients.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(client());
    clients.back().send("GET /api/v1/studies HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  const std::string first = clients.front().read_all();
  EXPECT_THAT(first, AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\"trials\":132")));
  while (!clients.empty()) {
    RawClient last = std::move(clients.back());
    clients.pop_back();
    ASSERT_EQ(last.read_all(), first) << clients.size() << " are left";
  }
}

TEST_F(ServeCommandTest, TellsListenersWhatAnotherProcessStores) {
  ASSERT_NO_FATAL_FAILURE(start());
  auto listener = client();
  listener.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(listener.read_until("\"trials\":132"));
  EXPECT_THAT(listener.received(),
              AllOf(StartsWith("HTTP/1.1 200 "),
                    HasSubstr("Content-Type: text/event-stream\r\n"),
                    HasSubstr("retry: 2000\n")));
  ASSERT_TRUE(listener.read_until("event: report\n"));
  add_trial("aa");
  ASSERT_TRUE(listener.read_until("\"trials\":133"));
  listener.forget();
  add_trial("ab");
  ASSERT_TRUE(listener.read_until("\"trials\":134"));
  EXPECT_EQ(body(get("/api/v1/trials/ab"))["binding"], "pytorch/rust");
  // One who comes back is told how it is now.
  auto again = client();
  again.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\r\n\r\n");
  ASSERT_TRUE(again.read_until("\"trials\":134"));
}

TEST_F(ServeCommandTest, MakesTheReportAnewForWhoLooksAtIt) {
  ASSERT_NO_FATAL_FAILURE(start());
  auto listener = client();
  listener.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(listener.read_until("event: report\n"));
  const uint64_t version = body(get("/api/v1/report"))["version"];
  add_trial("aa");
  ASSERT_TRUE(comes_true([&] { return body(get("/api/v1/report"))["version"] > version; }));
  EXPECT_THAT(body(get("/api/v1/report"))["verdict"][0].get<std::string>(),
              HasSubstr("133 trials"));
}

TEST_F(ServeCommandTest, LetsNoMoreListenThanItHasSeatsAndAnswersOthers) {
  ASSERT_NO_FATAL_FAILURE(start());
  std::vector<RawClient> listeners;
  for (int i = 0; i < 64; ++i) {
    listeners.push_back(client());
    listeners.back().send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(listeners.back().read_until("event: change"));
  }
  EXPECT_THAT(get("/api/v1/events"),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 10\r\n")));
  EXPECT_THAT(get("/api/v1/studies"), StartsWith("HTTP/1.1 200 "));
  listeners.clear();
  ASSERT_TRUE(comes_true([&] {
    auto next = client();
    next.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return next.read_until("event: change");
  }));
}

TEST_F(ServeCommandTest, WantsATokenBeyondLoopback) {
  ASSERT_NO_FATAL_FAILURE(
      start({"--host", "127.0.0.2"}));  // still this machine, but not the address that only it has
  ASSERT_TRUE(started_["token"].is_string());
  const std::string token = started_["token"];
  EXPECT_EQ(token.size(), 64U);
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("/api/v1/studies"),
              AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("WWW-Authenticate: Bearer\r\n")));
  EXPECT_THAT(get("/api/v1/events"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(get("/api/v1/studies", "Authorization: Bearer " + std::string(64, '0') + "\r\n"),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(get("/api/v1/studies", "Authorization: Bearer " + token + "\r\n"),
              StartsWith("HTTP/1.1 200 "));
  const auto opened = get("/api/v1/session", "Authorization: Bearer " + token + "\r\n");
  EXPECT_THAT(opened,
              AllOf(StartsWith("HTTP/1.1 204 "), HasSubstr("; HttpOnly; SameSite=Strict\r\n")));
  const size_t begin = opened.find("crossbind_session=");
  const std::string cookie = opened.substr(begin, opened.find(';', begin) - begin);
  EXPECT_THAT(cookie, Not(HasSubstr(token)));
  EXPECT_THAT(get("/api/v1/studies", "Cookie: " + cookie + "\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServeCommandTest, TakesATokenFromTheEnvironmentOrAFileAndDoesNotPrintIt) {
  const std::string token = "sixteen-or-more-characters";
  ASSERT_THAT(write_file(scratch("token"), token + "\n"), is_ok());
  const auto check = [&] {
    EXPECT_EQ(started_["needs_token"], true);
    EXPECT_THAT(program_->out(), Not(HasSubstr(token)));
    EXPECT_THAT(get("/api/v1/studies"), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(get("/api/v1/studies", "Authorization: Bearer " + token + "\r\n"),
                StartsWith("HTTP/1.1 200 "));
  };
  ASSERT_NO_FATAL_FAILURE(start({"--token-file", "token"}));
  check();
  program_.reset();
  ASSERT_NO_FATAL_FAILURE(start({}, {"CROSSBIND_SERVE_TOKEN=" + token}));
  check();
}

class ServeSignalTest : public ServeCommandTest, public ::testing::WithParamInterface<int> {};

TEST_P(ServeSignalTest, EndsAtOnceWhoeverIsConnected) {
  ASSERT_NO_FATAL_FAILURE(start({}, {}, "600"));
  auto listener = client();
  listener.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(listener.read_until("event: change"));
  auto slow = client();
  slow.send("GET /");
  program_->signal(GetParam());
  EXPECT_EQ(program_->wait(), 0) << program_->error();
  EXPECT_THAT(program_->error(), IsEmpty());
  listener.read_all();
  EXPECT_THAT(slow.read_all(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Each,
                         ServeSignalTest,
                         ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& instance) {
                           return instance.param == SIGINT ? "SIGINT" : "SIGTERM";
                         });

TEST_F(ServeCommandTest, SaysWhatToDoWhenItCannotStart) {
  const auto missing = fail_to_start({"--store", "none.db"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.error, AllOf(HasSubstr("there is no store none.db"), HasSubstr("--store")));
  EXPECT_FALSE(std::filesystem::exists(scratch("none.db")));

  ASSERT_THAT(write_file(scratch("text.db"), std::string(5000, 'x')), is_ok());
  const auto text = fail_to_start({"--store", "text.db"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.error, AllOf(HasSubstr("text.db"), HasSubstr("not an SQLite database")));

  ASSERT_NO_FATAL_FAILURE(start());
  const std::string port = address_.substr(address_.rfind(':') + 1);
  const auto taken = fail_to_start({"--store", "s.db", "--port", port});
  EXPECT_EQ(taken.exit_code, 1);
  EXPECT_THAT(taken.error, AllOf(HasSubstr(port), HasSubstr("--port 0")));

  const auto no_file = fail_to_start({"--store", "s.db", "--token-file", "none"});
  EXPECT_EQ(no_file.exit_code, 1);
  EXPECT_THAT(no_file.error, AllOf(HasSubstr("none"), HasSubstr("leave --token-file out")));

  const auto short_token =
      fail_to_start({"--store", "s.db", "--host", "127.0.0.2"}, {"CROSSBIND_SERVE_TOKEN=short"});
  EXPECT_EQ(short_token.exit_code, 1);
  EXPECT_THAT(
      short_token.error,
      AllOf(
          HasSubstr("CROSSBIND_SERVE_TOKEN"), HasSubstr("16 or more"), HasSubstr("openssl rand")));

  EXPECT_EQ(fail_to_start({"--port", "70000"}).exit_code, 2);
}

}  // namespace
}  // namespace crossbind
