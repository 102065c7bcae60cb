// A study whose crossbind is killed over and over ends with what an undisturbed one has.
#include <signal.h>

#include <map>
#include <thread>

#include "run_fixture.h"
#include "tensor/philox.h"

namespace crossbind {
namespace {

using ::testing::SizeIs;

// What must not depend on when a trial ran: everything but times, usage and the log.
store::TrialRecord without_times(store::TrialRecord trial) {
  trial.started = {};
  trial.wall = trial.user = trial.system = std::nullopt;
  trial.peak_memory.reset();
  trial.log.clear();
  for (auto& series : trial.series) {
    if (series.metric != "infer.accuracy") {
      std::ranges::fill(series.values, 0);
    }
  }
  return trial;
}

class RunResumedTest : public RunTest {
 protected:
  [[nodiscard]] std::map<std::string, store::TrialRecord> results(const std::string& store) const {
    std::map<std::string, store::TrialRecord> results;
    for (const auto& trial : stored(store)) {
      results.emplace(trial.identity, without_times(trial));
    }
    return results;
  }
};

TEST_F(RunResumedTest, TwentyKillsChangeNothing) {
  constexpr int kSeeds = 30;
  constexpr size_t kTrials = 2 * kSeeds;
  constexpr int kKills = 20;
  write_study("\"reference/cpp\"", kSeeds);
  const auto undisturbed = start("undisturbed", {"--store", "undisturbed.db"}, "other-cache");
  ASSERT_EQ(undisturbed->wait(), 0) << undisturbed->error();

  // Each time after a few more trials, anywhere in the one that runs then; the first ones also
  // before anything runs. So every kill hits a run that has something to do, on any machine.
  tensor::PhiloxStream random(1, tensor::Purpose::kTest, 0);
  size_t killed = 0;
  for (int i = 0; i < kKills; ++i) {
    const size_t trials = random.below(4);
    const std::chrono::microseconds delay(random.below(150'000));
    const auto program = start("killed", {"--store", "killed.db"});
    ASSERT_TRUE(
        comes_true([&] { return program->trials_ended() >= trials || program->has_ended(); }));
    std::this_thread::sleep_for(delay);
    program->signal(SIGKILL);
    killed += program->wait() == 128 + SIGKILL ? 1 : 0;
    expect_no_process_is_left();
  }
  EXPECT_EQ(killed, static_cast<size_t>(kKills));
  const auto last = start("last", {"--store", "killed.db"});
  ASSERT_EQ(last->wait(), 0) << last->error();

  expect_sound_store("killed.db");
  const auto expected = results("undisturbed.db");
  const auto actual = results("killed.db");
  ASSERT_THAT(expected, SizeIs(kTrials));
  ASSERT_THAT(actual, SizeIs(kTrials));
  for (const auto& [identity, trial] : expected) {
    ASSERT_TRUE(actual.contains(identity));
    EXPECT_EQ(trial.outcome, store::Outcome::kDone);
    EXPECT_TRUE(actual.at(identity) == trial) << identity;
  }
  // What the killed ones left in the cache has been removed by those after them.
  EXPECT_TRUE(std::filesystem::is_empty(scratch("cache/run")));
}

}  // namespace
}  // namespace crossbind
