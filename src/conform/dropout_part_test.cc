#include "conform/dropout_part.h"

#include "conform/conformance.h"
#include "conform/made_up_case.h"
#include "conform/workbench.h"
#include "converse/fakes.h"
#include "model/graph_reader.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using ::testing::HasSubstr;
using testing::is_ok;

constexpr std::string_view kDrops = R"(
id = "drops"
title = "drops"
dataset = "none"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 8
layers = [
  { name = "fc1", type = "linear", out = 24, bias = true },
  { name = "drop1", type = "dropout", rate = 0.25 },
  { name = "fc2", type = "linear", out = 24, bias = true },
  { name = "drop2", type = "dropout", rate = 0.4 },
  { name = "fc3", type = "linear", out = 4, bias = true },
]
[inputs]
features = { shape = [10] }
[optimizer]
type = "sgd"
rate = 0.1
momentum = 0.0
)";

// What a worker computes a probed step with, instead of what it should.
using Wrong = std::function<void(Work&)>;

// Takes steps apart with the referee's engine, dropout on where that is asked for.
class DroppingWorker {
 public:
  explicit DroppingWorker(Wrong wrong) : wrong_(std::move(wrong)) {}

  converse::Answers operator()(const protocol::Request& request) {
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      model_ = model::read_graph(prepare->graph).value();
      return {protocol::Event(
          protocol::Done{.id = prepare->id, .parameters = model_.parameter_count()})};
    }
    if (const auto* probe = std::get_if<protocol::Probe>(&request)) {
      return {protocol::Event(take(*probe))};
    }
    return {};  // the other parts are none of this test's
  }

 private:
  [[nodiscard]] protocol::Done take(const protocol::Probe& probe) const {
    const Case subject{model_,
                       tensor::load_safetensors(probe.state.value()).value(),
                       tensor::load_safetensors(probe.batch).value(),
                       probe.mode == protocol::ProbeMode::kTrain,
                       probe.step};
    const auto start = start_of(subject).value();
    Work work{model_, start.state, start.batch, start.number, start.trains, probe.dropout};
    if (probe.dropout) {
      wrong_(work);
    }
    const auto step = recorded(work);
    const auto path = probe.directory / "shown.safetensors";
    EXPECT_THAT(tensor::save_safetensors(path, step.tensors, {}), is_ok());
    return {.id = probe.id, .tensors = path, .loss = step.loss};
  }

  Wrong wrong_;
  model::Model model_;
};

class DropoutPartTest : public testing::ScratchTest {
 protected:
  // What the part finds with a worker that is wrong in this way.
  [[nodiscard]] PartFinding found(const Wrong& wrong) const {
    converse::FakeLauncher launcher([&](const std::string& binding) -> Result<converse::Script> {
      auto hello = converse::made_up_hello(binding);
      hello.capabilities = able_to_do_all();
      return converse::Script{.greeting = converse::Heard(protocol::Event(hello)),
                              .answer = DroppingWorker(wrong)};
    });
    Questions questions;
    questions.models = {model::parse_model(kDrops, "drops", model::Geometry::kFull).value()};
    questions.seeds = {1};
    questions.steps = 4;
    std::filesystem::create_directories(scratch("work"));
    const process::StopSignal stop;
    const auto report = examine({{"toy/cpp", {.binding = "toy/cpp"}, {}}},
                                questions,
                                {launcher, stop, scratch("work"), 1},
                                [](const Verdict&) {});
    const auto& parts = report.value().verdicts.at(0).parts;
    const auto part = std::ranges::find(parts, Part::kDropout, &PartFinding::part);
    EXPECT_NE(part, parts.end());
    return part == parts.end() ? PartFinding{} : *part;
  }

  static void set_rates(Work& work, const std::function<double(double)>& rate) {
    for (auto& node : work.model.nodes) {
      if (auto* dropout = std::get_if<model::Dropout>(&node.layer)) {
        dropout->rate = rate(dropout->rate);
      }
    }
  }
};

TEST_F(DropoutPartTest, MasksThatAreDrawnAreNoDivergenceAndGradientsAreJudgedAtThem) {
  const auto finding = found([](Work&) {});
  EXPECT_EQ(finding.outcome, Outcome::kRounding)
      << (finding.divergence ? tasks::where_in_words(*finding.divergence) : finding.reason);
  EXPECT_GT(finding.ratio, 0);
}

TEST_F(DropoutPartTest, DropoutThatDoesNothingIsNamed) {
  const auto finding = found([](Work& work) { work.drops = false; });
  ASSERT_TRUE(finding.divergence);
  EXPECT_EQ(finding.divergence->layer, "drop1");
  EXPECT_EQ(finding.divergence->kind, Kind::kForward);
  EXPECT_EQ(finding.divergence->cause, "dropout does nothing in training");
}

TEST_F(DropoutPartTest, DropoutThatScalesByTheRateIsNamed) {
  const auto finding =
      found([](Work& work) { set_rates(work, [](double rate) { return 1 - rate; }); });
  ASSERT_TRUE(finding.divergence);
  EXPECT_EQ(finding.divergence->layer, "drop1");
  EXPECT_EQ(finding.divergence->cause, "dropout divides what it keeps by the rate");
}

TEST_F(DropoutPartTest, TheSameMaskInEveryStepIsFoundByItsImprobability) {
  const auto finding = found([](Work& work) { work.number = 1; });
  ASSERT_TRUE(finding.divergence);
  EXPECT_EQ(finding.divergence->kind, Kind::kMask);
  EXPECT_EQ(finding.divergence->cause, "dropout draws the same mask in every step");
  EXPECT_THAT(finding.divergence->detail,
              HasSubstr("pairs of one step and the next were treated alike"));
}

}  // namespace
}  // namespace crossbind::conform
