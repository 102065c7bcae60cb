// Whatever a worker does, its trial fails with a reason that says so, and nothing of it is left.
#include <fstream>

#include "converse/launcher.h"
#include "place/local_place.h"
#include "process/testdata/process_record.h"
#include "run/trial_runner.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using namespace std::chrono_literals;

using place::Reach;
using process::StopSignal;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Misbehaviour {
  const char* mode;
  const char* reason;  // what it begins with
  std::chrono::milliseconds time_limit = 100s;
  std::chrono::milliseconds hello_timeout = 100s;
};

// Limits are short only where they are what ends the trial.
constexpr Misbehaviour kMisbehaviours[] = {
    {"exit", "exited with code 3 before it had answered"},
    {"exit-after-hello", "exited with code 4 before it had answered"},
    {"never-connect", "did not connect to CROSSBIND_ENDPOINT within 1 s", 100s, 1s},
    {"never-greet", "connected, but said no hello", 100s, 3s},
    {"no-hello", "the first message is no hello"},
    {"old-protocol", "this crossbind speaks protocol 1, the worker 0"},
    {"wrong-token", "the token is not that of CROSSBIND_TOKEN"},
    {"wrong-name", "the worker of toy/cpp calls itself \"toy/other\""},
    {"crash", "was killed by SIGSEGV"},
    {"half-line", "the stream ended in the middle of a line: half a line of 13 bytes"},
    {"junk", "a line is no JSON: \"Epoch 1: 100%|####| 3/3\""},
    {"nan", "a line is no JSON (a number that is not finite has no place in it)"},
    {"overflow", "a line is no JSON: "},
    {"long-line", "received a line of more than 8388608 bytes"},
    {"close-and-stay", "closed the connection before it had answered, and did not exit"},
    {"hang", "ran longer than 2.0 s", 2s},
    {"ignore-term", "ran longer than 2.0 s", 2s},
    {"talk-on", "ran longer than 2.0 s", 2s},
    {"fill-log", "exited with code 5 before it had answered"},
    {"eat", "used more than 256.0 MiB (peak "},
    {"fork", "exited with code 6 before it had answered"},
};

class WorkerTrialTest : public testing::ScratchTest {
 protected:
  WorkerTrialTest()
      : model_(
            model::find_model("lenet1", testing::source_path("models"), model::Geometry::kConform)
                .value()) {
    std::filesystem::create_directories(scratch("run"));
  }

  [[nodiscard]] TrialJob job(const Misbehaviour& wrong) const {
    TrialJob job;
    job.identity = "00";
    job.axes.binding = "toy/cpp";
    job.model = &model_;
    job.model_file = scratch("weights.safetensors");
    job.data = {scratch("data.safetensors"), 20, 10};
    job.order = scratch("order.safetensors");
    job.scratch = scratch("run");
    job.command = {{testing::build_path("tests/crossbind-misbehave-worker"),
                    wrong.mode,
                    scratch("processes").string()},
                   scratch("run"),
                   {"MISBEHAVE_BINDING=toy/cpp"}};
    job.limits.time = wrong.time_limit;
    job.limits.memory = uint64_t{256} << 20;
    return job;
  }

  [[nodiscard]] std::optional<store::TrialRecord> run(const Misbehaviour& wrong,
                                                      Reach reach) const {
    place::LocalPlace here(testing::build_path("crossbind-guard"), scratch("run"));
    converse::Launcher launcher(
        here, {.version = "test", .hello_timeout = wrong.hello_timeout, .grace = 1s}, reach);
    return run_trial(
        job(wrong),
        launcher,
        StopSignal(),
        [] { return store::Time(1s); },
        [](const tasks::Progress&) {});
  }

  [[nodiscard]] std::vector<pid_t> left() const {
    std::vector<pid_t> alive;
    for (const auto& process : process::records_in(scratch("processes").string())) {
      if (process::is_alive(process)) {
        alive.push_back(process.pid);
      }
    }
    return alive;
  }

  model::Model model_;
};

class MisbehavingWorkersTest
    : public WorkerTrialTest,
      public ::testing::WithParamInterface<std::tuple<Misbehaviour, Reach>> {};

TEST_P(MisbehavingWorkersTest, BecomeAFailedTrialWithAReason) {
  const auto& [wrong, endpoint] = GetParam();
  const auto record = run(wrong, endpoint);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, store::Outcome::kFailed);
  EXPECT_THAT(record->reason, StartsWith(wrong.reason));
  EXPECT_TRUE(record->curve.empty() && record->series.empty() && record->facts.empty());
  EXPECT_TRUE(store::validate(*record));
  EXPECT_GE(process::records_in(scratch("processes").string()).size(), 1U);
  EXPECT_THAT(left(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(scratch("run")));
}

INSTANTIATE_TEST_SUITE_P(Every,
                         MisbehavingWorkersTest,
                         ::testing::Combine(::testing::ValuesIn(kMisbehaviours),
                                            ::testing::Values(Reach::kUsual, Reach::kTcp)),
                         [](const auto& instance) {
                           std::string name = std::get<0>(instance.param).mode;
                           std::ranges::replace(name, '-', '_');
                           return name +
                                  (std::get<1>(instance.param) == Reach::kUsual ? "_unix" : "_tcp");
                         });

uint64_t kibibytes_of(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) {
      return std::stoull(line.substr(key.size() + 1));
    }
  }
  return 0;
}

TEST_F(WorkerTrialTest, AnEndlessLineTakesLittleOfOurMemory) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const uint64_t before = kibibytes_of("VmRSS");
  const auto record = run({"long-line", ""}, Reach::kUsual);
  const uint64_t peak = kibibytes_of("VmHWM");
  ASSERT_TRUE(record);
  ASSERT_GT(before, 0U);
  EXPECT_LT(peak, before + (uint64_t{64} << 10));
}

TEST_F(WorkerTrialTest, OfAnEndlessLogTheBeginningAndTheEndAreKept) {
  const auto record = run({"fill-log", ""}, Reach::kUsual);
  ASSERT_TRUE(record);
  EXPECT_THAT(record->log, AllOf(StartsWith("first words\n"), EndsWith("\nlast words\n")));
  EXPECT_LT(record->log.size(), size_t{1} << 20);
}

}  // namespace
}  // namespace crossbind::run
