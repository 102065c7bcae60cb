#include "conform/replay.h"

#include "conform/conformance.h"
#include "conform/made_up_case.h"
#include "conform/workbench.h"
#include "converse/fakes.h"
#include "model/graph_reader.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

constexpr const char* kCause = "GRU applies the reset gate before the product";

// Takes steps apart with the referee's engine; its GRU may reset before the product.
class GruWorker {
 public:
  explicit GruWorker(bool is_right) : is_right_(is_right) {}

  converse::Answers operator()(const protocol::Request& request) {
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      model_ = model::read_graph(prepare->graph).value();
      return {protocol::Event(
          protocol::Done{.id = prepare->id, .parameters = model_.parameter_count()})};
    }
    if (const auto* probe = std::get_if<protocol::Probe>(&request)) {
      return {protocol::Event(take(*probe))};
    }
    return {};  // bye
  }

 private:
  [[nodiscard]] protocol::Done take(const protocol::Probe& probe) const {
    const Case subject{model_,
                       tensor::load_safetensors(probe.state.value()).value(),
                       tensor::load_safetensors(probe.batch).value(),
                       probe.mode == protocol::ProbeMode::kTrain,
                       probe.step};
    const auto start = start_of(subject).value();
    Work work{model_, start.state, start.batch, start.number, start.trains};
    for (auto& node : work.model.nodes) {
      if (auto* gru = std::get_if<model::Gru>(&node.layer)) {
        gru->reset_after = gru->reset_after == is_right_;
      }
    }
    const auto step = recorded(work);
    const auto path = probe.directory / "shown.safetensors";
    EXPECT_THAT(tensor::save_safetensors(path, step.tensors, {}), is_ok());
    return {.id = probe.id, .tensors = path, .loss = step.loss};
  }

  bool is_right_;
  model::Model model_;
};

class ReplayTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] static converse::FakeLauncher launcher(bool is_right) {
    return converse::FakeLauncher(
        [is_right](const std::string& binding) -> Result<converse::Script> {
          auto hello = converse::made_up_hello(binding);
          hello.capabilities = able_to_do_all();
          return converse::Script{.greeting = converse::Heard(protocol::Event(hello)),
                                  .answer = GruWorker(is_right)};
        });
  }

  [[nodiscard]] Verdict replayed(const Case& subject, bool is_right) const {
    auto workers = launcher(is_right);
    const auto report = replay_all(
        {participant_}, subject, {workers, stop_, scratch("replay"), 1}, [](const Verdict&) {});
    EXPECT_THAT(report.verdicts, SizeIs(1));
    return report.verdicts.front();
  }

  const Participant participant_ = {"toy/cpp", {.binding = "toy/cpp"}, {}};
  process::StopSignal stop_;
};

TEST_F(ReplayTest, AStepThatIsRightAgrees) {
  const auto verdict = replayed(made_up_case("gru"), true);
  EXPECT_EQ(verdict.outcome, Outcome::kRounding);
  EXPECT_EQ(verdict.level, trial::ProbeLevel::kGradients);
}

TEST_F(ReplayTest, TheSmallestStepIsKeptAndDivergesAgain) {
  auto workers = launcher(false);
  Subject binding(participant_.candidate, workers, stop_, scratch("subject"));
  const auto folder = scratch("repro");
  ASSERT_THAT(keep_smallest(binding, able_to_do_all(), made_up_case("gru"), "toy/cpp", folder),
              is_ok());
  const auto kept = read_repro(folder);
  ASSERT_THAT(kept, is_ok());
  EXPECT_LE(kept->model.nodes.size(), 3U);
  EXPECT_LT(kept->model.parameter_count(), 100);
  const auto verdict = replayed(*kept, false);
  EXPECT_EQ(verdict.outcome, Outcome::kDiverges);
  ASSERT_TRUE(verdict.divergence);
  EXPECT_EQ(verdict.divergence->layer, "gru");
  EXPECT_EQ(verdict.divergence->cause, kCause);
  EXPECT_EQ(replayed(*kept, true).outcome, Outcome::kRounding);
}

TEST_F(ReplayTest, AnEvaluationIsReplayedAsOne) {
  Case subject = made_up_case("gru");
  subject.trains = false;
  const auto verdict = replayed(subject, false);
  ASSERT_TRUE(verdict.divergence);
  EXPECT_EQ(verdict.divergence->part, Part::kEvaluation);
  EXPECT_EQ(verdict.divergence->kind, Kind::kEvaluation);
}

TEST_F(ReplayTest, WhatDoesNotShowInOneStepIsNotKept) {
  auto workers = launcher(true);
  Subject binding(participant_.candidate, workers, stop_, scratch("subject"));
  EXPECT_THAT(
      keep_smallest(binding, able_to_do_all(), made_up_case("gru"), "toy/cpp", scratch("repro")),
      fails_with(HasSubstr("does not show in this step alone")));
  EXPECT_FALSE(std::filesystem::exists(scratch("repro")));
}

}  // namespace
}  // namespace crossbind::conform
