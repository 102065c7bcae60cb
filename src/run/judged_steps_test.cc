#include "run/judged_steps.h"

#include "judge/step_tensors.h"
#include "model/initial_weights.h"
#include "reference/network.h"
#include "reference/rounding.h"
#include "reference/test_batch.h"
#include "run/fakes.h"
#include "run/trial_runner.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using protocol::Event;
using reference::Array;
using reference::as_float32;
using store::Outcome;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

constexpr int64_t kSamples = 20;

// Takes steps apart with the referee itself; the learning rate may be wrong.
class ProbingWorker {
 public:
  ProbingWorker(const model::Model& model, double rate) : model_(model) {
    std::get<model::Sgd>(model_.optimizer).rate = rate;
  }

  Answers operator()(const protocol::Request& request) const {
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

    reference::Network<double> network(model_, {}, {.enabled = false});
    EXPECT_THAT(network.load(tensor::load_safetensors(*probe.state).value()), is_ok());
    network.forward(inputs, reference::Mode::kTrain);
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
    }
    const auto path = probe.directory / "shown.safetensors";
    EXPECT_THAT(tensor::save_safetensors(path, shown, {}), is_ok());
    return {.id = probe.id, .tensors = path, .loss = loss};
  }

  model::Model model_;
};

class JudgedStepsTest : public testing::ScratchTest {
 protected:
  JudgedStepsTest()
      : model_(model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull)
                   .value()) {
    model_.optimizer = model::Sgd{.rate = 0.05};
    job_ = made_up_job(model_, trial::Task::kJudge, scratch(""));
    EXPECT_THAT(model::save_initial_weights(job_.model_file, model_, 1, {}), is_ok());
    const auto batch = reference::make_batch<double>(model_, kSamples, 3);
    tensor::TensorMap data;
    data.emplace("train.image", as_float32(batch.inputs[0]));
    data.emplace("train.label", tensor::Tensor(tensor::Shape{kSamples}, batch.targets.labels));
    EXPECT_THAT(tensor::save_safetensors(job_.data.path, data, {}), is_ok());
    std::vector<int64_t> order;  // backwards, and in the order of the samples
    for (int64_t id = 0; id < kSamples; ++id) {
      order.push_back(kSamples - 1 - id);
    }
    for (int64_t id = 0; id < kSamples; ++id) {
      order.push_back(id);
    }
    tensor::TensorMap orders;
    orders.emplace("order", tensor::Tensor(tensor::Shape{2, kSamples}, order));
    EXPECT_THAT(tensor::save_safetensors(job_.order, orders, {}), is_ok());
  }

  store::TrialRecord run(const Answer& answer) {
    FakeLauncher launcher(answer);
    const StopSignal stop;
    auto record = run_trial(
        job_, launcher, stop, [] { return store::Time(); }, [](const TrialProgress&) {});
    EXPECT_THAT(store::validate(record.value()), is_ok());
    log_ = launcher.log();
    return *record;
  }

  model::Model model_;
  TrialJob job_;
  std::vector<std::string> log_;
};

TEST_F(JudgedStepsTest, AWorkerThatIsRightIsWithinRounding) {
  const auto record = run(ProbingWorker(model_, 0.05));
  EXPECT_EQ(record.outcome, Outcome::kDone) << record.reason;
  EXPECT_EQ(record.facts.at("verdict"), "within rounding");
  // 20 samples in batches of 8 are three steps, each in four kinds.
  EXPECT_EQ(std::ranges::count(log_, "probe"), 3);
  EXPECT_THAT(record.series, SizeIs(12));
  for (const auto& series : record.series) {
    EXPECT_LE(series.values.at(0), 1) << series.metric;
  }
}

TEST_F(JudgedStepsTest, AWorkerWhoseRateIsOffByOneInAThousandDivergesInItsFirstUpdate) {
  const auto record = run(ProbingWorker(model_, 0.05 * 1.001));
  EXPECT_EQ(record.outcome, Outcome::kDone) << record.reason;
  EXPECT_EQ(record.facts.at("verdict"), "diverges");
  EXPECT_THAT(record.facts.at("verdict.where"), HasSubstr("step 1, update '"));
  EXPECT_EQ(std::ranges::count(log_, "probe"), 1);
}

TEST_F(JudgedStepsTest, AWorkerThatDoesNotShowAllThatItClaimsFails) {
  const auto record =
      run([probing = ProbingWorker(model_, 0.05)](const protocol::Request& request) {
        if (const auto* probe = std::get_if<protocol::Probe>(&request)) {
          const auto answers = probing(request);
          auto shown = tensor::load_safetensors(probe->directory / "shown.safetensors").value();
          shown.erase(shown.begin());
          EXPECT_THAT(tensor::save_safetensors(probe->directory / "shown.safetensors", shown, {}),
                      is_ok());
          return answers;
        }
        return probing(request);
      });
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.reason, HasSubstr("showed a step that cannot be judged: '"));
}

}  // namespace
}  // namespace crossbind::run
