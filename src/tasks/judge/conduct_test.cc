#include "tasks/judge/conduct.h"

#include "converse/fakes.h"
#include "judge/step_tensors.h"
#include "model/initial_weights.h"
#include "referee/network.h"
#include "referee/rounding.h"
#include "referee/test_batch.h"
#include "tasks/made_up_assignment.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::tasks {
namespace {

using converse::Answer;
using converse::FakeLauncher;
using protocol::Event;
using referee::Array;
using referee::as_float32;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;
using trial::Kind;

constexpr int64_t kTrainingSamples = 20;

// Takes steps apart with the referee itself; the learning rate may be wrong.
class ProbingWorker {
 public:
  ProbingWorker(const model::Model& model, double rate) : model_(model) {
    std::get<model::Sgd>(model_.optimizer).rate = rate;
  }

  converse::Answers operator()(const protocol::Request& request) const {
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      return {Event(protocol::Done{.id = prepare->id, .parameters = model_.parameter_count()})};
    }
    if (const auto* probe = std::get_if<protocol::Probe>(&request)) {
      return {Event(take(*probe))};
    }
    return {};
  }

 private:
  [[nodiscard]] protocol::Done take(const protocol::Probe& probe) const {
    const auto batch = tensor::load_safetensors(probe.batch).value();
    const auto images = batch.at("image").view();
    const auto labels = *batch.at("label").view().as<int64_t>();
    std::vector<Array<double>> inputs(1, Array<double>(images.shape));
    std::ranges::copy(*images.as<float>(), inputs[0].values.begin());

    referee::Network<double> network(model_, {}, {.enabled = false});
    EXPECT_THAT(network.load(tensor::load_safetensors(*probe.state).value()), is_ok());
    network.forward(inputs, referee::Mode::kTrain);
    const double loss = network.backward(inputs, {{labels.begin(), labels.end()}, {}}).value;
    network.update(inputs);
    tensor::TensorMap shown;
    for (size_t i = 0; i < model_.nodes.size(); ++i) {
      shown.emplace(model_.nodes[i].name + ".out", as_float32(network.output(i)));
    }
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const auto& name = model_.parameters[i].name;
      shown.emplace(name, as_float32(network.parameter(i)));
      shown.emplace(name + ".grad", as_float32(network.gradient(i)));
      if (const auto& moment = network.state(i).m; !moment.values.empty()) {
        shown.emplace(name + ".state.m", as_float32(moment));
      }
    }
    const auto path = probe.directory / "shown.safetensors";
    EXPECT_THAT(tensor::save_safetensors(path, shown, {}), is_ok());
    return {.id = probe.id, .tensors = path, .loss = loss};
  }

  model::Model model_;
};

// The worker, showing other tensors than it computed.
Answer showing(const ProbingWorker& worker, const std::function<void(tensor::TensorMap&)>& change) {
  return [worker, change](const protocol::Request& request) {
    const auto answers = worker(request);
    if (const auto* probe = std::get_if<protocol::Probe>(&request)) {
      const auto path = probe->directory / "shown.safetensors";
      auto shown = tensor::load_safetensors(path).value();
      change(shown);
      EXPECT_THAT(tensor::save_safetensors(path, shown, {}), is_ok());
    }
    return answers;
  };
}

double error_of(const Judged& judged, Kind kind) {
  return std::ranges::find(judged.errors, kind, &JudgedKind::kind)->ratio;
}

class JudgedStepsTest : public testing::ScratchTest {
 protected:
  JudgedStepsTest()
      : model_(model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull)
                   .value()) {
    model_.optimizer = model::Sgd{.rate = 0.05};
    job_ = made_up_assignment(model_, trial::Task::kJudge, scratch(""));
    EXPECT_THAT(model::save_initial_weights(job_.model_file, model_, 1, {}), is_ok());
    const auto batch = referee::make_batch<double>(model_, kTrainingSamples, 3);
    tensor::TensorMap data;
    data.emplace("train.image", as_float32(batch.inputs[0]));
    data.emplace("train.label",
                 tensor::Tensor(tensor::Shape{kTrainingSamples}, batch.targets.labels));
    EXPECT_THAT(tensor::save_safetensors(job_.data.path, data, {}), is_ok());
    std::vector<int64_t> order;  // backwards, and in the order of the samples
    for (int64_t id = 0; id < kTrainingSamples; ++id) {
      order.push_back(kTrainingSamples - 1 - id);
    }
    for (int64_t id = 0; id < kTrainingSamples; ++id) {
      order.push_back(id);
    }
    tensor::TensorMap orders;
    orders.emplace("order", tensor::Tensor(tensor::Shape{2, kTrainingSamples}, order));
    EXPECT_THAT(tensor::save_safetensors(job_.order, orders, {}), is_ok());
  }

  [[nodiscard]] converse::Attempt<Judged> judged(const Answer& answer) {
    FakeLauncher launcher(answer);
    const process::StopSignal stop;
    const auto worker = launcher.launch("toy/cpp", {}, {}).value();
    converse::Dialogue dialogue(*worker, stop);
    EXPECT_TRUE(dialogue.greet().has_value());
    const std::filesystem::path directory = scratch("");
    const Session session{dialogue, job_, directory, on_progress_};
    auto came = judge_steps(session, {});
    log_ = launcher.log();
    return came;
  }

  model::Model model_;
  Assignment job_;
  OnProgress on_progress_ = [](const Progress&) {};
  std::vector<std::string> log_;
};

TEST_F(JudgedStepsTest, AWorkerThatIsRightIsWithinRounding) {
  const auto came = judged(ProbingWorker(model_, 0.05));
  ASSERT_TRUE(came.has_value());
  EXPECT_EQ(came->ruling, Ruling::kAgrees);
  // 20 samples in batches of 8 are three steps, each in four kinds.
  EXPECT_EQ(std::ranges::count(log_, "probe"), 3);
  EXPECT_THAT(came->errors, SizeIs(12));
  EXPECT_LE(largest_ratio(*came), 1);
}

TEST_F(JudgedStepsTest, AWorkerWhoseRateIsOffByOneInAThousandDivergesInItsFirstUpdate) {
  const auto came = judged(ProbingWorker(model_, 0.05 * 1.001));
  ASSERT_TRUE(came.has_value());
  EXPECT_TRUE(diverges(*came));
  EXPECT_THAT(came->where, HasSubstr("step 1, update '"));
  EXPECT_EQ(std::ranges::count(log_, "probe"), 1);
}

TEST_F(JudgedStepsTest, AMomentThatIsOffIsState) {
  model_.optimizer = model::Sgd{.rate = 0.05, .momentum = 0.9};
  const auto came = judged(showing(ProbingWorker(model_, 0.05), [](tensor::TensorMap& shown) {
    auto& moment = shown.at("fc.bias.state.m");
    moment = tensor::Tensor(moment.shape(), std::vector<float>(10, 0.5F));
  }));
  ASSERT_TRUE(came.has_value());
  EXPECT_THAT(came->where, HasSubstr("step 1, state 'fc.bias.state.m'["));
  EXPECT_LE(error_of(*came, Kind::kUpdate), 1);
  EXPECT_GT(error_of(*came, Kind::kState), 1);
}

TEST_F(JudgedStepsTest, ALossThatIsOffCountsWithTheGradients) {
  const auto came =
      judged([worker = ProbingWorker(model_, 0.05)](const protocol::Request& request) {
        auto answers = worker(request);
        for (auto* done : converse::events_of<protocol::Done>(answers)) {
          done->loss = 1e3;
        }
        return answers;
      });
  ASSERT_TRUE(came.has_value());
  EXPECT_THAT(came->where, HasSubstr("step 1, gradient 'loss'[0]: 1000, "));
  EXPECT_GT(error_of(*came, Kind::kGradient), 1);
  EXPECT_LE(error_of(*came, Kind::kUpdate), 1);
}

TEST_F(JudgedStepsTest, AWorkerThatDoesNotShowAllThatItClaimsFails) {
  const auto came = judged(showing(ProbingWorker(model_, 0.05),
                                   [](tensor::TensorMap& shown) { shown.erase(shown.begin()); }));
  ASSERT_FALSE(came.has_value());
  EXPECT_THAT(std::get<converse::Failure>(came.error()).reason,
              HasSubstr("showed a step that cannot be judged: expected '"));
}

TEST_F(JudgedStepsTest, AFormThatThereIsNotIsAFailure) {
  FakeLauncher launcher;
  const process::StopSignal stop;
  const auto worker = launcher.launch("toy/cpp", {}, {}).value();
  converse::Dialogue dialogue(*worker, stop);
  const std::filesystem::path directory = scratch("");
  const auto came =
      judge_steps(Session{dialogue, job_, directory, on_progress_}, {{"sgd.rate", "odd"}});
  ASSERT_FALSE(came.has_value());
  EXPECT_THAT(std::get<converse::Failure>(came.error()).reason,
              HasSubstr("claims a form that there is not: "));
}

}  // namespace
}  // namespace crossbind::tasks
