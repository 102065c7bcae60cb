#include "workers/start.h"

#include "process/command.h"
#include "workers/fixtures.h"

namespace crossbind::workers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class StartTest : public WorkersTest {};

TEST_F(StartTest, FillsThePlaceholdersIn) {
  add_shared("env", "true\n");
  write("toy-sh/worker.toml",
        fmt::format("framework = \"toy\"\nlanguage = \"sh\"\ntitle = \"A toy\"\n"
                    "start = [\"./worker\", \"{{home}}\", \"{{folder}}|{{shared:env}}\"]\n"
                    "environment = {{ LIBRARIES = \"{{programs}}:/usr/lib\" }}\n"
                    "[setup]\ncommand = [\"true\"]\nshares = [\"env\"]\n{}",
                    kCapabilities));
  write_script("toy-sh/worker", "pwd; echo \"$1\"; echo \"$2\"; echo \"$LIBRARIES\"\n");
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  const auto start = start_command(find("toy/sh"), places_);
  ASSERT_THAT(start, is_ok());
  const std::string folder = places_.workers / "toy-sh";
  const auto homes = cached("workers");
  const auto shared = cached("shared");
  const auto ran = process::run({.arguments = start->program.arguments,
                                 .directory = start->program.directory,
                                 .environment = start->program.environment});
  ASSERT_THAT(ran, is_ok());
  EXPECT_EQ(ran->out,
            fmt::format("{0}\n{1}/workers/{2}\n{0}|{1}/shared/{3}\n{4}:/usr/lib\n",
                        folder,
                        places_.cache.string(),
                        homes.at(0),
                        shared.at(0),
                        places_.programs.string()));
}

TEST_F(StartTest, FailsWithTheRemedyWhenTheBindingIsNotReady) {
  add_worker("sh", kInstall);
  EXPECT_THAT(start_command(find("toy/sh"), places_),
              fails_with(AllOf(HasSubstr("toy/sh is not ready: not set up yet"),
                               HasSubstr("Run: crossbind setup toy/sh"))));
}

TEST_F(StartTest, NoSetupRemovesTheHomeOfAWorkerThatRuns) {
  add_worker("sh", kInstall);
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  const Binding old = find("toy/sh");
  {
    const auto running = start_command(old, places_);
    ASSERT_THAT(running, is_ok());
    write("toy-sh/more.sh", "");
    const auto report = set_up_now("toy/sh");
    ASSERT_THAT(report, is_ok());
    EXPECT_TRUE(report->removed.empty());
    EXPECT_THAT(start_command(old, places_), is_ok());
  }
  const auto report = set_up_now("toy/sh");
  ASSERT_THAT(report, is_ok());
  EXPECT_THAT(report->removed,
              ElementsAre(places_.cache / "workers" / ("toy-sh-" + old.build.substr(0, 12))));
  EXPECT_THAT(start_command(old, places_), fails_with(HasSubstr("just removed it")));
}

}  // namespace
}  // namespace crossbind::workers
