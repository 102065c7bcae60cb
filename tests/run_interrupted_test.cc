// crossbind run and its processes, stopped and killed while it runs; and twice at the same time.
#include <signal.h>

#include <fstream>

#include "process/testdata/process_record.h"
#include "run_fixture.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kReference = "\"reference/cpp\"";

class RunInterruptedTest : public RunTest {
 protected:
  // A study with one trial of toy/MODE among those of reference/cpp; returns when that is at work.
  [[nodiscard]] std::unique_ptr<RunningProgram> start_with(const std::string& mode) const {
    add_misbehaving_worker(mode);
    write_study(fmt::format("\"reference/cpp\", \"toy/{}\"", mode), 1);
    std::string study = read_file(scratch("tiny.toml")).value();
    const std::string bindings = "seeds = [1]\n";
    study.insert(study.find(bindings),
                 "except = [{ binding = \"toy/*\", task = \"infer-parameters\" }]\n");
    write("tiny.toml", study);
    auto program = start();
    EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(scratch("processes.working")); }))
        << program->error();
    return program;
  }

  static pid_t parent_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    return std::stoi(stat.substr(stat.rfind(')') + 4));
  }
};

class RunSignalTest : public RunInterruptedTest, public ::testing::WithParamInterface<int> {};

TEST_P(RunSignalTest, EndsInOrderAndTheSameCommandGoesOn) {
  write_study(kReference, 20);
  const auto program = start();
  ASSERT_TRUE(comes_true([&] { return program->trials_ended() >= 3 || program->has_ended(); }));
  program->signal(GetParam());
  EXPECT_EQ(program->wait(), 130) << program->error();
  expect_no_process_is_left();
  const auto before = stored();
  EXPECT_THAT(program->out(),
              EndsWith(fmt::format("\nInterrupted: {} trials are stored in crossbind.db; the same "
                                   "command goes on.\n",
                                   before.size())));
  EXPECT_GE(before.size(), 3U);
  EXPECT_LT(before.size(), 40U);
  expect_sound_store();
  const auto rest = run();
  EXPECT_EQ(rest.exit_code, 0) << rest.error;
  const auto after = stored();
  ASSERT_THAT(after, SizeIs(40));
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_THAT(outcomes(), Each(EndsWith(": done")));
}

INSTANTIATE_TEST_SUITE_P(Each,
                         RunSignalTest,
                         ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& instance) {
                           return instance.param == SIGINT ? "SIGINT" : "SIGTERM";
                         });

TEST_F(RunInterruptedTest, BeforeAnythingRunsASignalEndsItAtOnce) {
  write_study(kReference, 1);
  std::string study = read_file(scratch("tiny.toml")).value();
  study.replace(study.find("glyphs-200-50"), 13, "glyphs-60000-10");  // takes a while to make
  write("tiny.toml", study);
  const auto program = start();
  ASSERT_TRUE(comes_true([&] { return !program->error().empty(); }));
  program->signal(SIGINT);
  EXPECT_EQ(program->wait(), 128 + SIGINT);
  EXPECT_FALSE(std::filesystem::exists(scratch("crossbind.db")));
  EXPECT_FALSE(std::filesystem::exists(scratch("cache/datasets/glyphs-60000-10.safetensors")));
}

// A worker that does not listen to cancel gets a moment; one that talks all the time gets no more.
TEST_F(RunInterruptedTest, DoesNotWaitForEverForAWorkerThatIgnoresCancel) {
  const auto program = start_with("talk-on");
  program->signal(SIGINT);
  EXPECT_EQ(program->wait(), 130);
  expect_no_process_is_left();
  EXPECT_THAT(outcomes(), Not(Contains(HasSubstr("toy/"))));
}

TEST_F(RunInterruptedTest, ASecondSignalEndsItWithoutWaitingForTheWorker) {
  const auto program = start_with("ignore-term");
  program->signal(SIGINT);
  program->signal(SIGTERM);
  EXPECT_EQ(program->wait(), 130);
  expect_no_process_is_left();
  EXPECT_THAT(outcomes(), Not(Contains(HasSubstr("toy/"))));
  expect_sound_store();
}

TEST_F(RunInterruptedTest, AWorkerThatIsKilledIsOneFailedTrial) {
  const auto program = start_with("hang");
  ::kill(misbehaving().front(), SIGKILL);
  EXPECT_EQ(program->wait(), 3) << program->error();
  EXPECT_THAT(outcomes(),
              ::testing::ElementsAre("reference/cpp infer-parameters 1: done",
                                     "reference/cpp train 1: done",
                                     "toy/hang train 1: failed: was killed by SIGKILL"));
  expect_no_process_is_left();
}

TEST_F(RunInterruptedTest, AGuardThatIsKilledTakesItsWorkerWithIt) {
  const auto program = start_with("hang");
  ::kill(parent_of(misbehaving().front()), SIGKILL);
  EXPECT_EQ(program->wait(), 3) << program->error();
  EXPECT_THAT(
      outcomes(),
      ::testing::ElementsAre("reference/cpp infer-parameters 1: done",
                             "reference/cpp train 1: done",
                             "toy/hang train 1: failed: was killed together with its guard"));
  expect_no_process_is_left();
  expect_sound_store();
}

TEST_F(RunInterruptedTest, NothingOutlivesACrossbindThatIsKilled) {
  const auto program = start_with("ignore-term");
  EXPECT_GE(processes().size(), 3U);  // crossbind, the guard, the worker
  program->signal(SIGKILL);
  EXPECT_EQ(program->wait(), 128 + SIGKILL);
  expect_no_process_is_left();
}

TEST_F(RunInterruptedTest, TwoAtATimeShareAStore) {
  write_study(kReference, 6);
  const auto first = start("first");
  const auto second = start("second");
  EXPECT_EQ(first->wait(), 0) << first->error();
  EXPECT_EQ(second->wait(), 0) << second->error();
  EXPECT_THAT(outcomes(), AllOf(SizeIs(12), Each(EndsWith(": done"))));
  expect_sound_store();
  EXPECT_TRUE(std::filesystem::is_empty(scratch("cache/run")));
}

}  // namespace
}  // namespace crossbind
