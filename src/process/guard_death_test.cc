// That nothing is left behind, whoever dies first.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/testdata/guarded_fixture.h"

namespace crossbind::process {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(GuardedTest, KillsDetachedProcessesWhenTheProgramExits) {
  auto process = start_to({"detach-and-exit", "3", record()});
  EXPECT_EQ(process.wait().describe(), "exited with code 0");
  EXPECT_THAT(records_in(record()), SizeIs(3));
  EXPECT_THAT(alive(), IsEmpty());
}

TEST_F(GuardedTest, KillsEveryDescendantWhenAsked) {
  auto process = start_to({"family", record()});
  ASSERT_TRUE(have_recorded(6));
  EXPECT_THAT(alive(), SizeIs(6));
  process.kill();
  process.wait();
  EXPECT_THAT(alive(), IsEmpty());
}

TEST_F(GuardedTest, KillsEveryDescendantWhenItIsForgotten) {
  {
    auto process = start_to({"family", record()});
    ASSERT_TRUE(have_recorded(6));
  }
  EXPECT_THAT(alive(), IsEmpty());
}

TEST_F(GuardedTest, OutrunsAProgramThatForksAndDetachesForEver) {
  auto process = start_to({"chain", record()});
  ASSERT_TRUE(have_recorded(20));
  process.kill();
  process.wait();
  EXPECT_THAT(alive(), IsEmpty());
  const size_t count = records_in(record()).size();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THAT(records_in(record()), SizeIs(count));
}

TEST_F(GuardedTest, StopsWhenSomebodyElseTerminatesTheGuard) {
  auto process = start_to({"say-goodbye", record()});
  ASSERT_TRUE(have_recorded(1));
  ::kill(process.guard_pid(), SIGTERM);
  EXPECT_EQ(process.wait().ending, Ending::kStopped);
  EXPECT_EQ(process.wait().log, "goodbye\n");
}

TEST_F(GuardedTest, SurvivesAProgramThatSignalsItsOwnGroup) {
  auto process = start({.program = {.arguments = {"sh", "-c", "kill -9 0"}}});
  EXPECT_EQ(process.wait().describe(), "was killed by SIGKILL");
}

TEST_F(GuardedTest, KillsEveryDescendantOfAKilledGuardAndOfNoOther) {
  const std::string other_record = scratch("others").string();
  auto other = start_to({"family", other_record});
  ASSERT_TRUE(comes_true([&] { return records_in(other_record).size() == 6; }));
  auto bystander = start_to({"stay", scratch("bystander").string()});
  auto process = start_to({"family", record()});
  ASSERT_TRUE(have_recorded(6));

  ::kill(process.guard_pid(), SIGKILL);
  EXPECT_EQ(process.wait().ending, Ending::kGuardLost);
  EXPECT_EQ(process.wait().describe(), "was killed together with its guard");
  EXPECT_THAT(alive(), IsEmpty());

  EXPECT_FALSE(other.has_ended());
  EXPECT_FALSE(bystander.has_ended());
  for (const auto& each : records_in(other_record)) {
    EXPECT_TRUE(is_alive(each));
  }
}

TEST_F(GuardedTest, OutrunsAForkingProgramWhoseGuardWasKilled) {
  auto process = start_to({"chain", record()});
  ASSERT_TRUE(have_recorded(20));
  ::kill(process.guard_pid(), SIGKILL);
  EXPECT_EQ(process.wait().ending, Ending::kGuardLost);
  EXPECT_THAT(alive(), IsEmpty());
  const size_t count = records_in(record()).size();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THAT(records_in(record()), SizeIs(count));
}

class ParentDeath : public GuardedTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(ParentDeath, IsTheEndOfEveryDescendant) {
  // Not under a guard, which would clean up after it.
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    ::execl(misbehaving().c_str(),
            misbehaving().c_str(),
            "launch",
            guard().c_str(),
            GetParam().c_str(),
            record().c_str(),
            nullptr);
    ::_exit(127);
  }
  ASSERT_TRUE(have_recorded(6));
  ::kill(launcher, SIGKILL);
  EXPECT_TRUE(comes_true([&] { return alive().empty(); }));
  ::waitpid(launcher, nullptr, 0);
  const size_t count = records_in(record()).size();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THAT(records_in(record()), SizeIs(count));
}

INSTANTIATE_TEST_SUITE_P(Of,
                         ParentDeath,
                         ::testing::Values("family", "chain"),
                         [](const auto& program) { return program.param; });

}  // namespace
}  // namespace crossbind::process
