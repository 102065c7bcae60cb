// The program as users run it: doctor and setup.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class WorkerCommandsTest : public testing::ScratchTest {
 protected:
  WorkerCommandsTest() {
    write("home/workers/bindings.toml",
          "[[bindings]]\nname = \"pytorch/csharp\"\nmissing = \"no .NET SDK\"\n");
  }

  [[nodiscard]] process::Outcome crossbind(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    return process::run({.arguments = std::move(arguments),
                         .environment = {"CROSSBIND_HOME=" + scratch("home").string(),
                                         "CROSSBIND_CACHE=" + scratch("cache").string()}})
        .value();
  }

  void write(const std::string& path, const std::string& text) const {
    EXPECT_THAT(write_file(scratch(path), text), testing::is_ok());
  }

  // toy/LANGUAGE, whose setup is a shell script.
  void add_worker(const std::string& language,
                  const std::string& script,
                  const std::string& needs = "") const {
    write(
        "home/workers/toy-" + language + "/worker.toml",
        fmt::format("framework = \"toy\"\nlanguage = \"{}\"\ntitle = \"A toy\"\n"
                    "start = [\"{{home}}/worker\"]\n[setup]\ncommand = [\"sh\", \"./setup\"]\n{}\n",
                    language,
                    needs) +
            R"([capabilities]
tasks = ["train"]
devices = ["cpu"]
loaders = ["resident"]
variants = ["step"]
measures = ["total"]
training_accuracies = ["running"]
layers = ["linear"]
losses = ["cross_entropy"]
optimizers = ["sgd"]
probe = "none"
saves = false
)");
    write("home/workers/toy-" + language + "/setup", script);
  }

  static constexpr const char* kInstall = "cp /bin/true \"$CROSSBIND_WORKER_HOME/worker\"\n";
};

TEST_F(WorkerCommandsTest, DoctorSaysWhatIsMissingAndHowToGetIt) {
  add_worker("sh", kInstall);
  add_worker("awk", kInstall, R"(needs = [{ program = "no-such-awk", package = "mawk" }])");
  write("home/workers/toy-sed/worker.toml", "titel = 3\n");
  const auto table = crossbind({"doctor"});
  EXPECT_EQ(table.exit_code, 0) << table.error;
  EXPECT_THAT(table.out,
              AllOf(StartsWith("BINDING         STATE           TITLE  MISSING"),
                    HasSubstr("\npytorch/csharp  no-worker       -      no .NET SDK"),
                    HasSubstr("\ntoy/awk         needs-programs  A toy  not on PATH: no-such-awk"),
                    HasSubstr("  apt-get install mawk\n"),
                    HasSubstr("\ntoy/sed         broken          -      see below"),
                    HasSubstr("toy-sed/worker.toml:1: unknown key \"titel\""),
                    HasSubstr("\ntoy/sh          not-set-up      A toy  not set up yet"),
                    HasSubstr("  crossbind setup toy/sh\n")));
}

TEST_F(WorkerCommandsTest, DoctorFailsOnlyWhenANamedBindingIsNotReady) {
  add_worker("sh", kInstall);
  EXPECT_EQ(crossbind({"doctor"}).exit_code, 0);
  EXPECT_EQ(crossbind({"doctor", "toy/sh"}).exit_code, 1);
  EXPECT_EQ(crossbind({"setup", "toy/sh"}).exit_code, 0);
  const auto ready = crossbind({"doctor", "toy/*", "--json"});
  EXPECT_EQ(ready.exit_code, 0);
  const auto json = nlohmann::json::parse(ready.out);
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["binding"], "toy/sh");
  EXPECT_EQ(json[0]["state"], "ready");
  EXPECT_EQ(json[0]["build"].get<std::string>().size(), 64U);
  const std::filesystem::path program = json[0]["program"].get<std::string>();
  EXPECT_TRUE(std::filesystem::exists(program)) << program;
  EXPECT_EQ(crossbind({"doctor", "*"}).exit_code, 1);
  const auto unknown = crossbind({"doctor", "toy/hs"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(unknown.error, "crossbind: there is no binding 'toy/hs'\n  Did you mean 'toy/sh'?\n");
}

TEST_F(WorkerCommandsTest, SetupGoesOnWhenOneFailsAndSumsUp) {
  add_worker("awk", "echo cannot find a mirror >&2; exit 9\n");
  add_worker("sh", kInstall);
  const auto all = crossbind({"setup", "--all"});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_EQ(all.out, "toy/sh: is ready\n1 ready, 1 failed, 1 without a worker\n");
  EXPECT_THAT(all.error,
              AllOf(HasSubstr("the setup of toy/awk failed with exit code 9\n"
                              "    cannot find a mirror\n"),
                    HasSubstr(".log: "),
                    HasSubstr("toy/sh: setting up, log in "),
                    Not(HasSubstr("\x1b"))));
  const auto again = crossbind({"setup", "toy/s*"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.out, "toy/sh: was ready\n1 ready\n");
}

TEST_F(WorkerCommandsTest, SetupRemovesWhatEarlierSourcesMade) {
  add_worker("sh", kInstall);
  EXPECT_EQ(crossbind({"setup", "toy/sh"}).exit_code, 0);
  write("home/workers/toy-sh/more", "");
  EXPECT_THAT(crossbind({"doctor", "toy/sh"}).out, HasSubstr("outdated"));
  const auto again = crossbind({"setup", "toy/sh"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out,
              AllOf(StartsWith("toy/sh: is ready\n  removed " + scratch("cache/workers/").string()),
                    EndsWith(", made from earlier sources\n1 ready\n")));
}

TEST_F(WorkerCommandsTest, SetupSaysWhyABindingCannotBeSetUp) {
  const auto known = crossbind({"setup", "pytorch/csharp"});
  EXPECT_EQ(known.exit_code, 1);
  EXPECT_EQ(known.error, "crossbind: pytorch/csharp cannot be set up: no .NET SDK\n");
  const auto nothing = crossbind({"setup"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.error, HasSubstr("name bindings, or pass --all"));
  EXPECT_EQ(crossbind({"setup", "--all", "toy/sh"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch("cache")));
}

TEST_F(WorkerCommandsTest, FindsTheWorkersOfTheBuildItself) {
  const auto outcome =
      process::run({.arguments = {testing::build_path("crossbind"), "doctor", "--json"}}).value();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_GE(nlohmann::json::parse(outcome.out).size(), 12U);
}

TEST_F(WorkerCommandsTest, BothExplainThemselvesWithAnExample) {
  for (const std::string name : {"doctor", "setup"}) {
    const auto help = crossbind({name, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("Examples:"), HasSubstr("crossbind " + name)));
  }
}

}  // namespace
}  // namespace crossbind
