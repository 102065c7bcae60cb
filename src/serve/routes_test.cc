// Golden files: CROSSBIND_WRITE_GOLDEN=1 writes them anew.
#include "serve/routes.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <set>

#include "serve/made_up_site.h"

namespace crossbind::serve {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

void expect_golden(const std::string& name, const Response& response) {
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.type, "application/json");
  auto parsed = nlohmann::ordered_json::parse(response.body);
  parsed.erase("html");  // golden with the report
  const std::string text = parsed.dump(1) + "\n";
  const auto path = testing::source_path("src/serve/testdata") / name;
  if (std::getenv("CROSSBIND_WRITE_GOLDEN") != nullptr) {
    ASSERT_THAT(write_file(path, text), is_ok());
  }
  const auto golden = read_file(path);
  ASSERT_THAT(golden, is_ok());
  EXPECT_EQ(text, *golden);
}

std::string header(const Response& response, std::string_view name) {
  for (const auto& each : response.headers) {
    if (each.name == name) {
      return each.value;
    }
  }
  return {};
}

class Routes : public MadeUpSite {
 protected:
  json body(const std::string& path, std::vector<Parameter> query = {}) {
    const auto response = get(path, std::move(query));
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body);
  }
  void expect_problem(int status,
                      const std::string& detail,
                      const std::string& path,
                      std::vector<Parameter> query = {}) {
    const auto response = get(path, std::move(query));
    EXPECT_EQ(response.status, status) << path;
    EXPECT_EQ(response.type, "application/problem+json");
    const auto problem = json::parse(response.body);
    EXPECT_EQ(problem["status"], status);
    EXPECT_THAT(problem["detail"].get<std::string>(), HasSubstr(detail));
  }
};

TEST_F(Routes, AreTheGoldenAnswers) {
  expect_golden("studies.json", get("/api/v1/studies"));
  expect_golden("study.json", get("/api/v1/studies/" + study()));
  expect_golden("progress.json", get("/api/v1/progress"));
  expect_golden("trials.json",
                get("/api/v1/trials", {{"binding", "pytorch/rust"}, {"limit", "3"}}));
  expect_golden("trial.json", get("/api/v1/trials/00000000000000000000000000000001"));
  make_reports();
  expect_golden("comparison.json",
                get("/api/v1/comparison", {{"a", "pytorch/python"}, {"b", "tensorflow/python"}}));
}

TEST_F(Routes, OfAStudyAreThoseOfTheStoreThatHasNoOther) {
  auto all = body("/api/v1/progress");
  auto one = body("/api/v1/progress", {{"study", study()}});
  EXPECT_EQ(all, one);
  expect_problem(404, "no study 'x'", "/api/v1/progress", {{"study", "x"}});
  expect_problem(404, "no study", "/api/v1/studies/0123");
  expect_problem(404, "no study", "/api/v1/report", {{"study", "0123"}});
}

TEST_F(Routes, ListTrialsThatFitTheFilterNewestFirst) {
  const auto list =
      body("/api/v1/trials",
           {{"outcome", "done"}, {"task", "train"}, {"model", "lenet5"}, {"limit", "500"}});
  EXPECT_EQ(list["total"], 35);
  ASSERT_THAT(list["trials"], SizeIs(35));
  EXPECT_GT(list["trials"][0]["identity"], list["trials"][34]["identity"]);
  for (const auto& trial : list["trials"]) {
    EXPECT_EQ(trial["model"], "lenet5");
    EXPECT_EQ(trial["outcome"], "done");
  }
  const auto failed = body("/api/v1/trials", {{"text", "was killed"}});
  ASSERT_EQ(failed["total"], 1);
  EXPECT_EQ(failed["trials"][0]["binding"], "tensorflow/java");
}

TEST_F(Routes, GiveEveryTrialOnceOverAllPages) {
  std::set<std::string> seen;
  const size_t total = store_.trials(std::nullopt).value().size();
  for (size_t offset = 0; offset < total; offset += 7) {
    const auto page =
        body("/api/v1/trials",
             {{"offset", std::to_string(offset)}, {"limit", "7"}, {"order", "oldest"}});
    EXPECT_EQ(page["total"], total);
    for (const auto& trial : page["trials"]) {
      EXPECT_TRUE(seen.insert(trial["identity"]).second);
    }
  }
  EXPECT_THAT(seen, SizeIs(total));
  EXPECT_THAT(body("/api/v1/trials", {{"offset", "1000000"}})["trials"], IsEmpty());
}

TEST_F(Routes, SayWhatIsWrongWithAParameter) {
  expect_problem(
      400, "no parameter 'colour' here; there are study", "/api/v1/trials", {{"colour", "red"}});
  expect_problem(
      400, "whole number from 1 to 500, not '501'", "/api/v1/trials", {{"limit", "501"}});
  expect_problem(400, "not '0'", "/api/v1/trials", {{"limit", "0"}});
  expect_problem(400, "not '-1'", "/api/v1/trials", {{"offset", "-1"}});
  expect_problem(400, "not '1e3'", "/api/v1/trials", {{"offset", "1e3"}});
  expect_problem(
      400, "not '99999999999999999999'", "/api/v1/trials", {{"offset", "99999999999999999999"}});
  expect_problem(400,
                 "one of done, failed, unsupported, any, not 'lost'",
                 "/api/v1/trials",
                 {{"outcome", "lost"}});
  expect_problem(400, "one of newest, oldest", "/api/v1/trials", {{"order", "up"}});
  expect_problem(400, "twice", "/api/v1/trials", {{"limit", "1"}, {"limit", "2"}});
  expect_problem(400, "takes no parameter", "/api/v1/studies", {{"x", "1"}});
  expect_problem(400, "'a' is missing", "/api/v1/comparison", {{"b", "pytorch/rust"}});
}

TEST_F(Routes, ShowATrialWithItsHostileLogAsText) {
  const auto found = body("/api/v1/trials", {{"outcome", "failed"}});
  const std::string identity = found["trials"][0]["identity"];
  const auto trial = body("/api/v1/trials/" + identity);
  EXPECT_THAT(trial["log"].get<std::string>(),
              AllOf(HasSubstr("</pre></details><script>alert(1)</script>"),
                    HasSubstr("red \uFFFD"),
                    Not(HasSubstr("\x1b"))));
  const auto log = get("/api/v1/trials/" + identity + "/log");
  EXPECT_EQ(log.type, "text/plain; charset=utf-8");
  EXPECT_EQ(log.body, trial["log"].get<std::string>());
  expect_problem(404, "no trial 'x'", "/api/v1/trials/x");
  expect_problem(404, "no trial 'x'", "/api/v1/trials/x/log");
}

TEST_F(Routes, CutLongLogsAndSeriesAndSayHowLongTheyAre) {
  store::TrialRecord trial;
  trial.identity = "abc";
  trial.log = std::string(300'000, 'x') + "end";
  trial.series = {{"infer.total", 0, std::vector<double>(5000, 0.5)}};
  ASSERT_THAT(store_.add_trial({study()}, trial), is_ok());
  const auto shown = body("/api/v1/trials/abc");
  EXPECT_EQ(shown["log"].get<std::string>().size(), 256U << 10U);
  EXPECT_THAT(shown["log"].get<std::string>(), ::testing::EndsWith("xend"));
  EXPECT_EQ(shown["log_bytes"], 300'003);
  EXPECT_EQ(shown["log_from"], 300'003 - (256 << 10));
  EXPECT_EQ(shown["series"][0]["n"], 5000);
  EXPECT_THAT(shown["series"][0]["values"], SizeIs(1000));
  EXPECT_EQ(get("/api/v1/trials/abc/log").body.size(), 300'003U);
}

TEST_F(Routes, AskToWaitUntilTheReportIsMade) {
  for (const auto* path : {"/api/v1/report", "/api/v1/figures", "/api/v1/tables/verdicts"}) {
    const auto early = get(path);
    EXPECT_EQ(early.status, 202);
    EXPECT_EQ(header(early, "Retry-After"), "1");
  }
  make_reports();
  const auto report = body("/api/v1/report");
  EXPECT_THAT(report["html"].get<std::string>(), HasSubstr("<section id=\"matrix\""));
  EXPECT_EQ(report["figures"], body("/api/v1/figures"));
  EXPECT_GT(report["figures"]["figures"].size(), 10U);
  const auto table = get("/api/v1/tables/verdicts");
  EXPECT_EQ(table.type, "text/csv; charset=utf-8");
  EXPECT_THAT(table.body, StartsWith("binding,lenet1,lenet5\n"));
  expect_problem(404, "no table 'x'", "/api/v1/tables/x");
}

TEST_F(Routes, ShowTheLastReportUntilTheNextIsMade) {
  make_reports();
  const auto first = body("/api/v1/report")["version"];
  ASSERT_THAT(live_.refresh(), is_ok());
  EXPECT_EQ(body("/api/v1/report")["version"], first);
  make_reports();
  EXPECT_EQ(body("/api/v1/report")["version"], first.get<int>() + 1);
  EXPECT_EQ(reports_.make_next(), std::nullopt) << "nobody has asked since";
}

TEST_F(Routes, EndAReportThatIsBeingMadeWhenTheServerEnds) {
  static_cast<void>(reports_.find(""));
  reports_.stop();
  ASSERT_TRUE(reports_.make_next());
  expect_problem(503, "the server is ending", "/api/v1/report");
}

TEST_F(Routes, CompareAnyTwoBindingsThatThereAre) {
  make_reports();
  const auto found = body("/api/v1/comparison", {{"a", "pytorch/python"}, {"b", "pytorch/rust"}});
  const auto& times = found["times"];
  ASSERT_THAT(times, Not(IsEmpty()));
  for (const auto& row : times) {
    EXPECT_NEAR(row["ratio"].get<double>(), 0.8, 0.02);
    EXPECT_GE(row["p_adjusted"].get<double>(), row["p"].get<double>());
  }
  expect_problem(404,
                 "'pytorch/cobol'",
                 "/api/v1/comparison",
                 {{"a", "pytorch/cobol"}, {"b", "pytorch/rust"}});
  expect_problem(
      400, "with itself", "/api/v1/comparison", {{"a", "pytorch/rust"}, {"b", "pytorch/rust"}});
}

TEST_F(Routes, LetSoManyListenToEventsAndNoMore) {
  for (int i = 0; i < 2; ++i) {
    const auto stream = get("/api/v1/events");
    EXPECT_TRUE(stream.is_stream);
    EXPECT_EQ(stream.type, "text/event-stream");
    EXPECT_THAT(stream.body,
                AllOf(StartsWith("retry: 2000\n\nevent: change\nid: 1\ndata: {"),
                      HasSubstr("\"trials\":132")));
  }
  const auto third = get("/api/v1/events");
  EXPECT_EQ(third.status, 503);
  EXPECT_FALSE(third.is_stream);
}

TEST_F(Routes, OnlyRead) {
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"}) {
    Request request;
    request.method = method;
    request.path = "/api/v1/trials";
    request.host = "localhost";
    const auto refused = ask(request);
    EXPECT_EQ(refused.status, 405) << method;
    EXPECT_EQ(header(refused, "Allow"), "GET, HEAD");
  }
}

TEST_F(Routes, AnswerToTheNamesOfThisMachineAlone) {
  Request request;
  request.path = "/api/v1/studies";
  for (const auto* host : {"127.0.0.1", "127.0.0.1:80", "localhost:8642", "[::1]:8642"}) {
    request.host = host;
    EXPECT_EQ(ask(request).status, 200) << host;
  }
  for (const auto* host : {"",
                           "example.org",
                           "127.0.0.1.example.org",
                           "localhost.example.org:80",
                           "[::1",
                           "10.0.0.1"}) {
    request.host = host;
    EXPECT_EQ(ask(request).status, 421) << host;
  }
}

TEST_F(Routes, HaveNoFileButTheirOwn) {
  for (const auto* path : {"/../etc/passwd",
                           "/assets/../../etc/passwd",
                           "/assets/",
                           "/assets",
                           "//etc/passwd",
                           "/etc/passwd",
                           "/assets/vega.js/",
                           "/api/v1/../studies",
                           "/api/v1/trials/../studies",
                           "/api/v1/trials/",
                           "/api/v1/",
                           "/api",
                           "",
                           "/dashboard.html",
                           "\\etc\\passwd"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
  EXPECT_EQ(get(std::string("/assets/vega.js\0.html", 21)).status, 404);
}

TEST_F(Routes, GiveThePageAtEveryAddressItShows) {
  const auto page = get("/");
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  for (const auto* path : {"/trials", "/trials/abc", "/studies/abc", "/report", "/compare"}) {
    EXPECT_EQ(get(path).body, page.body) << path;
  }
  EXPECT_THAT(page.body,
              AllOf(Not(HasSubstr("<script>")),
                    Not(HasSubstr("<style")),
                    Not(HasSubstr(" style=")),
                    Not(HasSubstr(" onclick="))));
}

TEST_F(Routes, DoNotSendAgainWhatTheBrowserHas) {
  Request request;
  request.path = "/assets/vega.js";
  request.host = "localhost";
  const auto first = ask(request);
  EXPECT_GT(first.body.size(), 100'000U);
  request.known_tag = header(first, "ETag");
  const auto second = ask(request);
  EXPECT_EQ(second.status, 304);
  EXPECT_THAT(second.body, IsEmpty());
}

TEST_F(Routes, AreThoseOfTheOpenApiFile) {
  const auto api = body("/api/v1/openapi.json");
  std::set<std::string> described;
  for (const auto& [path, operations] : api["paths"].items()) {
    described.insert(path);
    EXPECT_EQ(operations.size(), 1U) << path;
    ASSERT_TRUE(operations.contains("get")) << path;
  }
  std::set<std::string> known;
  for (const auto& route : api_routes()) {
    known.insert(std::string(route.pattern));
    std::vector<std::string> wanted(route.parameters.begin(), route.parameters.end());
    std::vector<std::string> listed;
    for (const auto& parameter :
         api["paths"][std::string(route.pattern)]["get"].value("parameters", json::array())) {
      if (parameter["in"] == "query") {
        listed.push_back(parameter["name"]);
      } else {
        EXPECT_THAT(std::string(route.pattern),
                    HasSubstr("{" + parameter["name"].get<std::string>() + "}"));
      }
    }
    EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(wanted)) << route.pattern;
  }
  EXPECT_EQ(described, known);
}

class GuardedRoutes : public MadeUpSite {
 protected:
  GuardedRoutes() : MadeUpSite({false, "a-token-of-24-characters", "the-session"}) {}

  int status(const std::string& authorization,
             const std::string& cookie,
             const std::string& path = "/api/v1/studies") {
    Request request;
    request.path = path;
    request.host = "example.org";
    request.authorization = authorization;
    request.cookie = cookie;
    return ask(request).status;
  }
};

TEST_F(GuardedRoutes, WantTheTokenOrTheCookie) {
  EXPECT_EQ(status("", ""), 401);
  EXPECT_EQ(status("Bearer a-token-of-24-characters", ""), 200);
  EXPECT_EQ(status("", "crossbind_session=the-session"), 200);
  EXPECT_EQ(status("", "x=1; crossbind_session=the-session; y=2"), 200);
  for (const auto* wrong : {"Bearer",
                            "Bearer ",
                            "Bearer a-token-of-24-characterz",
                            "Bearer a-token-of-24-characters ",
                            "bearer a-token-of-24-characters",
                            "a-token-of-24-characters",
                            "Basic a-token-of-24-characters"}) {
    EXPECT_EQ(status(wrong, ""), 401) << wrong;
  }
  for (const auto* wrong : {"crossbind_session=",
                            "crossbind_session=the-sessio",
                            "xcrossbind_session=the-session",
                            "crossbind_session=a-token-of-24-characters",
                            "crossbind_session",
                            ";;;="}) {
    EXPECT_EQ(status("", wrong), 401) << wrong;
  }
}

TEST_F(GuardedRoutes, GuardEveryPartOfTheApiAndShowThePageThatAsksForTheToken) {
  for (const auto& route : api_routes()) {
    EXPECT_EQ(status("", "", std::string(route.pattern)), 401) << route.pattern;
  }
  EXPECT_EQ(status("", "", "/api/v1/openapi.json"), 401);
  EXPECT_EQ(status("", "", "/api/v1/nothing"), 401);
  EXPECT_EQ(status("", "", "/"), 200);
}

TEST_F(GuardedRoutes, ExchangeTheTokenForACookieThatScriptsAndOtherSitesDoNotGet) {
  Request request;
  request.path = "/api/v1/session";
  request.authorization = "Bearer a-token-of-24-characters";
  const auto opened = ask(request);
  EXPECT_EQ(opened.status, 204);
  EXPECT_EQ(header(opened, "Set-Cookie"),
            "crossbind_session=the-session; Path=/; HttpOnly; SameSite=Strict");
}

TEST(Token, IsRandomAndCompared) {
  EXPECT_THAT(random_token(), SizeIs(64));
  EXPECT_NE(random_token(), random_token());
  EXPECT_TRUE(are_equal("abc", "abc"));
  EXPECT_FALSE(are_equal("abc", "abd"));
  EXPECT_FALSE(are_equal("abc", "ab"));
}

}  // namespace
}  // namespace crossbind::serve
