#include "conform/conformance.h"

#include "conform/made_up_case.h"
#include "converse/fakes.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using converse::Answers;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ConformanceTest : public testing::ScratchTest {
 protected:
  ConformanceTest() {
    questions_.models = {
        model::find_model("lenet1", testing::source_path("models"), model::Geometry::kConform)
            .value()};
    questions_.seeds = {1};
    questions_.steps = 1;
  }

  [[nodiscard]] Conformance examine(const trial::Capabilities& able,
                                    const converse::Answer& answer) {
    converse::FakeLauncher launcher([&](const std::string& binding) -> Result<converse::Script> {
      auto hello = converse::made_up_hello(binding);
      hello.capabilities = able;
      return converse::Script{.greeting = converse::Heard(protocol::Event(hello)),
                              .answer = answer};
    });
    const std::vector<Participant> participants = {
        {"toy/cpp", {.binding = "toy/cpp", .device = device_}, {}}};
    std::filesystem::create_directories(scratch("work"));
    auto report = conform::examine(
        participants, questions_, {launcher, stop_, scratch("work"), 1}, [&](const Verdict&) {
          ++shown_;
        });
    EXPECT_THAT(report, is_ok());
    log_ = launcher.log();
    programs_ = launcher.programs();
    return std::move(*report);
  }

  Questions questions_;
  std::string device_;  // empty: none is asked for
  process::StopSignal stop_;
  std::vector<std::string> log_;
  std::vector<process::Program> programs_;
  int shown_ = 0;
};

TEST_F(ConformanceTest, AWorkerThatClaimsNothingIsUnsupported) {
  const auto report = examine({}, converse::well_behaved());
  ASSERT_THAT(report.verdicts, SizeIs(1));
  EXPECT_EQ(report.verdicts[0].outcome, Outcome::kUnsupported);
  EXPECT_EQ(report.verdicts[0].reason, "task train");
  EXPECT_EQ(shown_, 1);
}

TEST_F(ConformanceTest, AWorkerThatDiesIsStartedAgainForTheNextPart) {
  const auto report = examine(able_to_do_all(), [](const protocol::Request&) { return Answers(); });
  ASSERT_THAT(report.verdicts, SizeIs(1));
  EXPECT_EQ(report.verdicts[0].outcome, Outcome::kFailed);
  EXPECT_THAT(report.verdicts[0].parts, SizeIs(3));
  EXPECT_THAT(report.verdicts[0].parts, Each(Field(&PartFinding::outcome, Outcome::kFailed)));
  EXPECT_EQ(std::ranges::count(log_, "launch toy/cpp"), 3);
}

TEST_F(ConformanceTest, AsksForKernelsThatRepeatThemselves) {
  static_cast<void>(examine(able_to_do_all(), converse::well_behaved()));
  ASSERT_THAT(programs_, ::testing::Not(IsEmpty()));
  EXPECT_THAT(
      programs_,
      Each(Field(&process::Program::environment, ::testing::Contains("CROSSBIND_REPEATABLE=1"))));
}

TEST_F(ConformanceTest, SaysWhatAWorkerLacksInItsOwnWords) {
  const auto report = examine(able_to_do_all(), [](const protocol::Request& request) {
    const auto* prepare = std::get_if<protocol::Prepare>(&request);
    return prepare == nullptr
               ? Answers()
               : Answers{protocol::Event(protocol::Unsupported{prepare->id, "while gradient"})};
  });
  EXPECT_EQ(report.verdicts.at(0).outcome, Outcome::kUnsupported);
  EXPECT_EQ(report.verdicts.at(0).reason, "while gradient");
  EXPECT_EQ(std::ranges::count(log_, "launch toy/cpp"), 1);
}

TEST_F(ConformanceTest, EveryRequestIsForTheDeviceThatIsAskedFor) {
  device_ = "cuda";
  auto able = able_to_do_all();
  EXPECT_EQ(examine(able, converse::well_behaved()).verdicts.at(0).reason, "device cuda");
  able.devices.emplace_back("cuda");
  std::vector<std::string> devices;
  const auto report = examine(able, [&](const protocol::Request& request) {
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      devices.push_back(prepare->settings.device);
      return Answers{protocol::Event(protocol::Unsupported{prepare->id, "device cuda"})};
    }
    return Answers();
  });
  EXPECT_EQ(report.verdicts.at(0).outcome, Outcome::kUnsupported);
  EXPECT_THAT(devices, ::testing::AllOf(::testing::Not(IsEmpty()), Each("cuda")));
}

TEST_F(ConformanceTest, AnInterruptionSaysNothingOfWhatWasNotExamined) {
  stop_.raise();
  const auto report = examine(able_to_do_all(), converse::well_behaved());
  EXPECT_THAT(report.verdicts, IsEmpty());
  EXPECT_EQ(shown_, 0);
}

}  // namespace
}  // namespace crossbind::conform
