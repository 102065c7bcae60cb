#include "process/guarded.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>

#include <fstream>
#include <iterator>

#include "process/testdata/guarded_fixture.h"

namespace crossbind::process {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

TEST_F(GuardedTest, ReportsTheExitCode) {
  auto process = start_to({"exit", "3"});
  const End& end = process.wait();
  EXPECT_EQ(end.ending, Ending::kExited);
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.describe(), "exited with code 3");
  EXPECT_GT(end.usage.wall.count(), 0);
  EXPECT_GT(end.usage.peak_memory, 0U);
}

TEST_F(GuardedTest, NamesTheSignalOfACrash) {
  auto process = start_to({"crash"});
  EXPECT_EQ(process.wait().ending, Ending::kSignalled);
  EXPECT_EQ(process.wait().describe(), "was killed by SIGSEGV");
}

TEST_F(GuardedTest, TellsItsEndThroughADescriptor) {
  auto process = start_to({"stay", record()});
  ASSERT_TRUE(have_recorded(1));
  EXPECT_EQ(records_in(record())[0].pid, process.pid());
  EXPECT_FALSE(process.has_ended());
  process.kill();
  pollfd wait{process.end_descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&wait, 1, -1), 1);
  EXPECT_TRUE(process.has_ended());
  EXPECT_EQ(process.wait().describe(), "was stopped");
}

TEST_F(GuardedTest, KillsWhatRunsTooLong) {
  auto command = misbehave({"detach-and-stay", "2", record()});
  command.deadline = milliseconds(1500);
  auto process = start(command);
  EXPECT_EQ(process.wait().ending, Ending::kDeadline);
  EXPECT_EQ(process.wait().describe(), "ran longer than 1.5 s");
  EXPECT_GE(process.wait().usage.wall, milliseconds(1500));
  EXPECT_THAT(alive(), IsEmpty());
}

TEST_F(GuardedTest, KillsWhatUsesTooMuchMemory) {
  auto command = misbehave({"eat", "1024", record()});
  command.memory_limit = 192 * kMebibyte;
  auto process = start(command);
  const End& end = process.wait();
  EXPECT_EQ(end.ending, Ending::kMemoryLimit);
  EXPECT_GT(end.usage.peak_memory, command.memory_limit);
  EXPECT_THAT(end.describe(),
              AllOf(StartsWith("used more than 192.0 MiB (peak "), EndsWith(" MiB)")));
  EXPECT_THAT(records_in(record()), IsEmpty());  // it did not come to its end
}

TEST_F(GuardedTest, SumsTheMemoryOfAllProcesses) {
  // Each stays below the limit.
  auto command = misbehave({});
  const std::string eat = fmt::format("{} eat 120 {} & ", misbehaving(), record());
  command.program.arguments = {"sh", "-c", eat + eat + eat + "wait"};
  command.memory_limit = 240 * kMebibyte;
  auto process = start(command);
  EXPECT_EQ(process.wait().ending, Ending::kMemoryLimit);
  EXPECT_THAT(alive(), IsEmpty());
}

TEST_F(GuardedTest, LeavesWhatStaysWithinItsLimits) {
  auto command = misbehave({"eat", "64", record()});
  command.memory_limit = 512 * kMebibyte;
  command.deadline = std::chrono::minutes(10);
  auto process = start(command);
  ASSERT_TRUE(have_recorded(1));
  EXPECT_FALSE(process.has_ended());
  process.kill();
  EXPECT_GE(process.wait().usage.peak_memory, 64 * kMebibyte);
  EXPECT_GT(process.wait().usage.system.count() + process.wait().usage.user.count(), 0);
}

TEST_F(GuardedTest, StopsGently) {
  auto process = start_to({"say-goodbye", record()});
  ASSERT_TRUE(have_recorded(1));
  process.stop();
  EXPECT_EQ(process.wait().ending, Ending::kStopped);
  EXPECT_EQ(process.wait().log, "goodbye\n");
}

TEST_F(GuardedTest, KillsWhatIgnoresTheRequestToStop) {
  auto command = misbehave({"ignore-term", record()});
  command.grace = milliseconds(300);
  auto process = start(command);
  ASSERT_TRUE(have_recorded(1));
  const auto asked = std::chrono::steady_clock::now();
  process.stop();
  EXPECT_EQ(process.wait().ending, Ending::kStopped);
  EXPECT_GE(std::chrono::steady_clock::now() - asked, command.grace);
  EXPECT_THAT(alive(), IsEmpty());
}

TEST_F(GuardedTest, KeepsBothEndsOfAFloodOfOutput) {
  auto command = misbehave({"fill", std::to_string(64 * kMebibyte)});
  command.log_limit = 1000;
  auto process = start(command);
  const End& end = process.wait();
  EXPECT_EQ(end.describe(), "exited with code 0");
  EXPECT_THAT(end.log, AllOf(StartsWith("first words\nxxx"), EndsWith("xxx\nlast words\n")));
  EXPECT_THAT(end.log, HasSubstr("x\n[67,107,888 bytes left out]\nx"));
  EXPECT_LT(end.log.size(), 1100U);
}

TEST_F(GuardedTest, RunsWhereItIsTold) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(static_cast<size_t>(last), &allowed)) {
    --last;
  }
  auto command = misbehave({"print-affinity"});
  command.cpus = {last};
  EXPECT_EQ(start(command).wait().log, fmt::format("{}\n", last));
}

TEST_F(GuardedTest, UsesTheGivenDirectoryAndEnvironmentAndNoInput) {
  ::setenv("CROSSBIND_TEST_COLOUR", "red", 1);
  GuardedCommand command{
      .program = {.arguments = {"sh", "-c", "pwd; echo $CROSSBIND_TEST_COLOUR; wc -c"},
                  .directory = "/usr",
                  .environment = {"CROSSBIND_TEST_COLOUR=green"}}};
  EXPECT_EQ(start(command).wait().log, "/usr\ngreen\n0\n");
}

TEST_F(GuardedTest, SaysWhatCannotBeStarted) {
  const auto start_result = [](const GuardedCommand& command) {
    return GuardedProcess::start(guard(), command);
  };
  EXPECT_THAT(start_result({.program = {.arguments = {"no-such-program"}}}),
              fails_with(HasSubstr("no-such-program: cannot start: No such file")));
  EXPECT_THAT(start_result({.program = {.arguments = {"true"}, .directory = "/no/such/place"}}),
              fails_with(HasSubstr("true: cannot start in /no/such/place: No such file")));
  EXPECT_THAT(start_result({.program = {.arguments = {"true"}}, .cpus = {0, 1000}}),
              fails_with(HasSubstr("true: cannot be bound to the processors 0, 1000")));
  EXPECT_THAT(GuardedProcess::start("/no/guard", {.program = {.arguments = {"true"}}}),
              fails_with(HasSubstr("/no/guard: cannot start the guard: No such file")));
  EXPECT_THAT(GuardedProcess::start("/bin/true", {.program = {.arguments = {"true"}}}),
              fails_with(HasSubstr("true: cannot be started by /bin/true")));
}

size_t open_descriptors() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST_F(GuardedTest, LeaksNoDescriptorToAnyone) {
  const size_t before = open_descriptors();
  const int inheritable = ::open("/dev/null", O_RDONLY);  // as a careless library opens files
  // Looking at names opens no descriptor, unlike listing them.
  const GuardedCommand list{
      .program = {
          .arguments = {
              "sh", "-c", "for n in $(seq 0 200); do test -e /proc/$$/fd/$n && echo $n; done"}}};
  std::vector<std::thread> threads;
  std::vector<std::string> logs(20);
  for (size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<GuardedProcess> running;
      for (size_t i = 0; i < 5; ++i) {
        running.push_back(start(list));
      }
      for (size_t i = 0; i < 5; ++i) {
        logs[thread * 5 + i] = running[i].wait().log;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  ::close(inheritable);
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_THAT(logs, ::testing::Each(::testing::StrEq("0\n1\n2\n")));
}

}  // namespace
}  // namespace crossbind::process
