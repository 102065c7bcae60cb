// The zoo: bugs that real bindings had, each in a worker that is right but for it. 'crossbind
// conform' finds every one and says where it is, and accuses nobody when there is none.
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include <map>
#include <set>

#include "binding_fixture.h"
#include "process/command.h"

namespace crossbind {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::string kZoo = testing::source_path("tests/zoo/");
const std::string kPatched = "pytorch/python";  // the binding that zoo_worker.py runs

// A table of zoo.toml. Of the verdict, what is not given may be anything.
struct Bug {
  std::string name;
  std::string host;
  std::vector<std::string> switches;  // of its worker
  std::string model;
  int64_t attempts = 1;  // a race is lost only now and then
  std::string says;
  std::map<std::string, std::string> verdict;
};

std::vector<Bug> zoo() {
  std::vector<Bug> bugs;
  const toml::table file = toml::parse_file(kZoo + "zoo.toml");
  for (const auto& node : *file["bug"].as_array()) {
    const toml::table& table = *node.as_table();
    const auto text = [&](const char* key) { return table[key].value_or(std::string()); };
    Bug bug{.name = text("name"),
            .host = text("host"),
            .switches = {},
            .model = text("model"),
            .attempts = table["attempts"].value_or(int64_t{1}),
            .says = text("says"),
            .verdict = {}};
    bug.switches = {"--bug", bug.name};
    if (bug.host != kPatched) {
      bug.switches = {text("switch")};
    }
    for (const auto& [key, value] : *table["verdict"].as_table()) {
      bug.verdict[std::string(key.str())] =
          value.is_integer() ? std::to_string(*value.value<int64_t>()) : value.value_or("");
    }
    bugs.push_back(std::move(bug));
  }
  return bugs;
}

// Names of tests have no hyphens.
std::string name_of(const ::testing::TestParamInfo<Bug>& bug) {
  std::string name = bug.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

// A value of a divergence as zoo.toml has it.
std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_as_expected(const Bug& bug, const nlohmann::json& verdict) {
  const auto is_said = [&](const auto& expected) {
    return text_of(verdict["divergence"][expected.first]) == expected.second;
  };
  return verdict.value("verdict", "") == "diverges" && std::ranges::all_of(bug.verdict, is_said);
}

class ZooTest : public BindingTest {
 protected:
  // conform of the host's worker on these models, with what makes it wrong as its arguments.
  static nlohmann::json conform(const std::string& host,
                                const std::set<std::string>& models,
                                const std::vector<std::string>& switches) {
    const auto start = start_command(host);
    process::Command command{.arguments = {testing::build_path("crossbind"), "conform", "--json"},
                             .directory = testing::source_path(),
                             .environment = start.program.environment};
    for (const auto& model : models) {
      command.arguments.insert(command.arguments.end(), {"--model", model});
    }
    command.arguments.emplace_back("--");
    std::ranges::copy(start.program.arguments, std::back_inserter(command.arguments));
    if (host == kPatched) {
      command.arguments.back() = kZoo + "zoo_worker.py";
    }
    std::ranges::copy(switches, std::back_inserter(command.arguments));
    const auto outcome = process::run(command).value();
    auto json = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << outcome.out << outcome.error;
    return json;
  }
};

class BugTest : public ZooTest, public ::testing::WithParamInterface<Bug> {};

TEST_P(BugTest, IsFoundAndLocated) {
  const Bug& bug = GetParam();
  CROSSBIND_NEED(bug.host);
  nlohmann::json verdict = nlohmann::json::object();
  for (int64_t attempt = 0; attempt < bug.attempts && !is_as_expected(bug, verdict); ++attempt) {
    const auto json = conform(bug.host, {bug.model}, bug.switches);
    ASSERT_EQ(json["verdicts"].size(), 1U);
    verdict = json["verdicts"][0];
  }
  ASSERT_TRUE(is_as_expected(bug, verdict)) << verdict.dump(1);
  // The page shows the line with the numbers of one machine; the words are those of all.
  const auto& divergence = verdict["divergence"];
  for (const char* key : {"layer", "tensor", "kind", "cause"}) {
    EXPECT_THAT(bug.says, HasSubstr(text_of(divergence[key])));
  }
  fmt::print("{}: {} times the bound\n", bug.name, text_of(divergence["ratio"]));
}

INSTANTIATE_TEST_SUITE_P(Zoo, BugTest, ::testing::ValuesIn(zoo()), name_of);

// Without its bug, on every model that the zoo has for it.
class InnocenceTest : public ZooTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(InnocenceTest, IsNotAccusedWithoutABug) {
  const std::string host = GetParam();
  CROSSBIND_NEED(host);
  std::set<std::string> models;
  for (const auto& bug : zoo()) {
    if (bug.host == host) {
      models.insert(bug.model);
    }
  }
  const std::vector<std::string> none = {"--bug", "none"};
  const auto json = conform(host, models, host == kPatched ? none : std::vector<std::string>());
  ASSERT_EQ(json["verdicts"].size(), models.size());
  for (const auto& verdict : json["verdicts"]) {
    EXPECT_THAT(text_of(verdict["verdict"]), AnyOf("agrees bit for bit", "agrees within rounding"))
        << verdict.dump(1);
    EXPECT_TRUE(verdict["divergence"].is_null()) << verdict.dump(1);
    fmt::print("{}: {} times the bound\n", text_of(verdict["model"]), text_of(verdict["ratio"]));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo,
                         InnocenceTest,
                         ::testing::Values("pytorch/python", "tensorflow/rust"),
                         [](const auto& host) { return std::string(host.param).substr(0, 7); });

TEST_F(ZooTest, HasEveryBugOfTheWorker) {
  CROSSBIND_NEED(kPatched);
  auto command = start_command(kPatched).program.arguments;
  command.back() = kZoo + "zoo_worker.py";
  command.emplace_back("--list");
  const auto outcome = process::run({.arguments = command}).value();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  std::set<std::string> names;
  for (const auto& bug : zoo()) {
    if (bug.host == kPatched) {
      names.insert(bug.name);
    }
  }
  EXPECT_EQ(outcome.out, fmt::format("{}\n", fmt::join(names, "\n")));
}

TEST(ZooPage, IsMadeFromTheZoo) {
  const auto made =
      process::run({.arguments = {"python3", kZoo + "make_docs.py", "--check"}}).value();
  EXPECT_EQ(made.exit_code, 0) << made.error;
}

}  // namespace
}  // namespace crossbind
