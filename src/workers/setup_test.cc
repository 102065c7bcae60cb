#include "workers/setup.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "workers/fixtures.h"

namespace crossbind::workers {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class SetupTest : public WorkersTest {
 protected:
  // A setup in a process of its own, which ends with 0 when it succeeds. What it waits for is
  // noted in the file `waits`.
  pid_t set_up_elsewhere(const std::string& name) const {
    const Binding binding = find(name);
    const pid_t child = ::fork();
    if (child == 0) {
      class Watch final : public SetupWatch {
       public:
        explicit Watch(std::filesystem::path file) : file_(std::move(file)) {}
        void waits(const std::string& what) override { (void)write_file(file_, what).has_value(); }
        void begins(const std::string&, const std::filesystem::path&) override {}
        void goes_on(const std::string&) override {}
        void ends() override {}

       private:
        std::filesystem::path file_;
      } watch(scratch("waits"));
      ::_exit(set_up(binding, places_, watch).has_value() ? 0 : 1);
    }
    return child;
  }

  static int end_of(pid_t child) {
    int state = 0;
    ::waitpid(child, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  }

  // Until the file exists; the limit is only there to fail instead of hanging.
  [[nodiscard]] bool appears(const std::string& name) const {
    for (int i = 0; i < 6000; ++i) {
      if (std::filesystem::exists(scratch(name))) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  void touch(const std::string& name) const { ASSERT_THAT(write_file(scratch(name), ""), is_ok()); }

  // Shell that appends a line to a file, says that it has begun, and waits for the file `go`.
  [[nodiscard]] std::string counted_and_waiting(const std::string& count) const {
    return fmt::format(
        "echo x >> {0}/{1}\ntouch {0}/begun\nwhile [ ! -e {0}/go ]; do sleep 0.02; done\n",
        scratch("").string(),
        count);
  }
};

TEST_F(SetupTest, RunsTheCommandInItsFolderAndTellsItItsPlaces) {
  add_worker("sh",
             std::string(kInstall) +
                 "pwd; echo \"$CROSSBIND_WORKER_FOLDER\"; echo \"$CROSSBIND_WORKER_HOME\"\n"
                 "echo \"$CROSSBIND_CACHE\"; echo errors too >&2\n");
  RecordedWatch watch;
  const auto report = set_up(find("toy/sh"), places_, watch);
  ASSERT_THAT(report, is_ok());
  EXPECT_FALSE(report->was_ready);
  EXPECT_THAT(watch.told, ElementsAre("begins toy/sh", "ends"));
  const Binding binding = find("toy/sh");
  EXPECT_EQ(binding.state, State::kReady);
  const std::string name = "toy-sh-" + binding.build.substr(0, 12);
  EXPECT_THAT(cached("workers"), ElementsAre(name, name + ".lock", name + ".log"));
  const std::string folder = places_.workers / "toy-sh";
  EXPECT_THAT(
      read("cache/workers/" + name + ".log"),
      AllOf(HasSubstr(folder + "\n" + folder + "\n" + (places_.cache / "workers" / name).string() +
                      "\n" + places_.cache.string() + "\n"),
            HasSubstr("errors too\n")));
}

TEST_F(SetupTest, DoesNothingWhenTheBindingIsReady) {
  add_worker("sh", fmt::format("{}echo x >> {}\n", kInstall, scratch("count").string()));
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  const auto again = set_up_now("toy/sh");
  ASSERT_THAT(again, is_ok());
  EXPECT_TRUE(again->was_ready);
  EXPECT_EQ(read("count"), "x\n");
}

TEST_F(SetupTest, ShowsTheEndOfTheLogWhenTheCommandFails) {
  add_worker("sh", "for i in $(seq 1 100); do echo line $i; done; echo no network >&2; exit 7\n");
  const auto failed = set_up_now("toy/sh");
  EXPECT_THAT(failed,
              fails_with(AllOf(HasSubstr("the setup of toy/sh failed with exit code 7"),
                               HasSubstr("line 100\n"),
                               HasSubstr("no network"),
                               Not(HasSubstr("line 50\n")),
                               HasSubstr(".log: "))));
  EXPECT_THAT(read_file(failed.error().where).value_or(""), HasSubstr("line 1\n"));
  EXPECT_EQ(find("toy/sh").state, State::kNotSetUp);
  EXPECT_EQ(find("toy/sh").reason, "its setup has not finished");
}

TEST_F(SetupTest, FailsWhenTheCommandCannotBegin) {
  add_worker("sh", kInstall);
  std::filesystem::permissions(places_.workers / "toy-sh/setup",
                               std::filesystem::perms::owner_read);
  EXPECT_THAT(set_up_now("toy/sh"), fails_with(HasSubstr("Permission denied")));
}

TEST_F(SetupTest, FailsWhenTheProgramIsNotThereAfterwards) {
  add_worker("sh", "true\n");
  EXPECT_THAT(set_up_now("toy/sh"), fails_with(HasSubstr("left no program")));
  EXPECT_EQ(find("toy/sh").state, State::kNotSetUp);
}

TEST_F(SetupTest, FailsWhenTheSourcesChangeMeanwhile) {
  add_worker("sh", std::string(kInstall) + "date > lock.txt\n");
  EXPECT_THAT(set_up_now("toy/sh"), fails_with(HasSubstr("its sources changed meanwhile")));
  EXPECT_NE(find("toy/sh").state, State::kReady);
}

TEST_F(SetupTest, RefusesWhatCannotBeSetUp) {
  write("bindings.toml", "[[bindings]]\nname = \"a/x\"\nmissing = \"no worker yet\"\n");
  EXPECT_THAT(set_up_now("a/x"), fails_with(HasSubstr("a/x cannot be set up: no worker yet")));
  add_worker("sh", kInstall, "needs = [{ program = \"no-such-p\", package = \"pp\" }]");
  EXPECT_THAT(
      set_up_now("toy/sh"),
      fails_with(AllOf(HasSubstr("not on PATH: no-such-p"), HasSubstr("Run: apt-get install pp"))));
  EXPECT_THAT(cached("workers"), IsEmpty());
}

TEST_F(SetupTest, ContinuesWhatAKilledOneLeft) {
  add_worker("sh",
             "touch \"$CROSSBIND_WORKER_HOME/part-$(ls \"$CROSSBIND_WORKER_HOME\" | wc -l)\"\n" +
                 counted_and_waiting("count") + kInstall);
  const pid_t child = set_up_elsewhere("toy/sh");
  ASSERT_TRUE(appears("begun"));
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), 137);
  EXPECT_EQ(find("toy/sh").reason, "its setup has not finished");
  touch("go");
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  EXPECT_EQ(find("toy/sh").state, State::kReady);
  EXPECT_EQ(read("count"), "x\nx\n");
  const std::string home = "cache/workers/toy-sh-" + find("toy/sh").build.substr(0, 12);
  EXPECT_TRUE(std::filesystem::exists(scratch(home + "/part-0"))) << "what the first one had done";
  EXPECT_TRUE(std::filesystem::exists(scratch(home + "/part-1"))) << "what the second one added";
  EXPECT_THAT(cached("workers"), SizeIs(3)) << "home, lock and log, nothing else";
}

TEST_F(SetupTest, AKilledOneLeavesNothingRunning) {
  add_worker("sh",
             fmt::format("sleep 600 &\necho $! > {0}/pid.tmp; mv {0}/pid.tmp {0}/pid\nwait\n",
                         scratch("").string()));
  const pid_t child = set_up_elsewhere("toy/sh");
  ASSERT_TRUE(appears("pid"));
  const pid_t sleeping = std::stoi(read("pid"));
  ASSERT_EQ(::kill(sleeping, 0), 0);
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), 137);
  bool is_gone = false;
  for (int i = 0; i < 2000 && !is_gone; ++i) {  // the limit is only there to fail
    is_gone = ::kill(sleeping, 0) != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(is_gone);
}

TEST_F(SetupTest, MendsADamagedHome) {
  add_worker("sh", kInstall);
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  const std::string home = "cache/workers/toy-sh-" + find("toy/sh").build.substr(0, 12);
  std::filesystem::remove(scratch(home + "/bin/worker"));
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  EXPECT_EQ(find("toy/sh").state, State::kReady);
}

TEST_F(SetupTest, TwoProcessesSideBySideRunTheCommandOnce) {
  add_worker("sh", counted_and_waiting("count") + kInstall);
  const pid_t first = set_up_elsewhere("toy/sh");
  ASSERT_TRUE(appears("begun"));
  const pid_t second = set_up_elsewhere("toy/sh");
  ASSERT_TRUE(appears("waits"));
  EXPECT_EQ(read("waits"), "toy/sh");
  touch("go");
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(end_of(second), 0);
  EXPECT_EQ(read("count"), "x\n");
  EXPECT_EQ(find("toy/sh").state, State::kReady);
}

TEST_F(SetupTest, TwoBindingsInParallelSetTheirSharedEnvironmentUpOnce) {
  add_shared("big-env",
             counted_and_waiting("count") + "echo 42 > \"$CROSSBIND_SHARED_BIG_ENV/answer\"\n");
  const std::string script =
      std::string(kInstall) +
      "cat \"$CROSSBIND_SHARED_BIG_ENV/answer\" > \"$CROSSBIND_WORKER_HOME/answer\"\n";
  add_worker("sh", script, "shares = [\"big-env\"]");
  add_worker("awk", script, "shares = [\"big-env\"]");
  const pid_t first = set_up_elsewhere("toy/sh");
  ASSERT_TRUE(appears("begun"));
  const pid_t second = set_up_elsewhere("toy/awk");
  ASSERT_TRUE(appears("waits"));
  EXPECT_EQ(read("waits"), "shared environment big-env");
  touch("go");
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(end_of(second), 0);
  EXPECT_EQ(read("count"), "x\n");
  for (const char* name : {"toy/sh", "toy/awk"}) {
    const Binding binding = find(name);
    EXPECT_EQ(binding.state, State::kReady);
    EXPECT_EQ(read(fmt::format("cache/workers/{}-{}/answer",
                               binding.manifest->folder_name(),
                               binding.build.substr(0, 12))),
              "42\n");
  }
}

TEST_F(SetupTest, DifferentBindingsDoNotWaitForEachOther) {
  add_worker("sh", counted_and_waiting("count") + kInstall);
  add_worker("awk", kInstall);
  const pid_t slow = set_up_elsewhere("toy/sh");
  ASSERT_TRUE(appears("begun"));
  ASSERT_THAT(set_up_now("toy/awk"), is_ok());
  touch("go");
  EXPECT_EQ(end_of(slow), 0);
}

TEST_F(SetupTest, AChangedWorkerIsSetUpAnewAndTheOldHomeGoes) {
  add_shared("env", "true\n");
  add_worker("sh", kInstall, "shares = [\"env\"]");
  add_worker("sh-posix", kInstall);
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  ASSERT_THAT(set_up_now("toy/sh-posix"), is_ok());
  const auto before = cached("workers");
  write("shared/env/requirements.txt", "numpy\n");
  EXPECT_EQ(find("toy/sh").state, State::kOutdated);
  const auto report = set_up_now("toy/sh");
  ASSERT_THAT(report, is_ok());
  EXPECT_THAT(report->removed, SizeIs(2)) << "its own and the shared one";
  EXPECT_EQ(find("toy/sh").state, State::kReady);
  EXPECT_EQ(find("toy/sh-posix").state, State::kReady) << "another worker, though named alike";
  EXPECT_THAT(cached("workers"), SizeIs(before.size()));
  EXPECT_THAT(cached("workers"), Contains("toy-sh-" + find("toy/sh").build.substr(0, 12) + ".log"));
  EXPECT_THAT(cached("shared"), SizeIs(3));
}

}  // namespace
}  // namespace crossbind::workers
