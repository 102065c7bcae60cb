// The step of a CUDA graph, done without one: on the processor it must come to what the loop comes
// to.
#include "static_step.h"

#include <gmock/gmock.h>

#include "testing/testing.h"
#include "torch_session.h"

namespace crossbind::worker {
namespace {

constexpr int64_t kSamples = 7;
constexpr int64_t kBatch = 3;

class StaticStepTest : public testing::ScratchTest {
 protected:
  StaticStepTest() : inputs_({kSamples, 3}, inputs()), labels_({kSamples}, labels()) {}

  // Two epochs of two whole batches and a partial one.
  [[nodiscard]] Job job(const std::string& optimizer) const {
    Job job;
    job.model = model::parse_model(
                    "id = \"m\"\ntitle = \"t\"\ndataset = \"d\"\nloss = \"cross_entropy\"\n"
                    "init = \"fan_in_uniform\"\nbatch = 3\n"
                    "layers = [{ name = \"one\", type = \"linear\", out = 4, bias = true },\n"
                    "  { name = \"tanh\", type = \"tanh\" },\n"
                    "  { name = \"two\", type = \"linear\", out = 2, bias = true }]\n"
                    "[inputs]\nx = { shape = [3] }\n[optimizer]\n" +
                        optimizer,
                    "test",
                    model::Geometry::kFull)
                    .value();
    job.settings.batch_size = kBatch;
    job.settings.epochs = 2;
    tensor::TensorMap weights;
    GraphModule module(job.model);
    torch::manual_seed(1);
    for (const NamedTensor& named : module->tensors()) {
      weights.emplace(named.name, to_float32(torch::randn_like(named.tensor)));
    }
    EXPECT_THAT(tensor::save_safetensors(scratch("weights"), weights, {}), testing::is_ok());
    job.weights = tensor::SafetensorsFile::open(scratch("weights")).value();
    job.training = Samples{{inputs_.view()}, {labels_.view()}, kSamples};
    job.order = {{{6, 0, 3}, {1, 5, 2}, {4}}, {{2, 4, 0}, {3, 6, 1}, {5}}};
    return job;
  }

  static std::vector<torch::Tensor> values_of(const GraphModule& module) {
    std::vector<torch::Tensor> values;
    for (const NamedTensor& named : module->tensors()) {
      values.push_back(named.tensor.detach().clone());
    }
    return values;
  }

 private:
  static std::vector<float> inputs() {
    std::vector<float> values;
    for (int64_t i = 0; i < kSamples * 3; ++i) {
      values.push_back(static_cast<float>(i % 5) - 2);
    }
    return values;
  }
  static std::vector<int64_t> labels() { return {0, 1, 1, 0, 1, 0, 0}; }

  tensor::Tensor inputs_;
  tensor::Tensor labels_;
};

class OptimizerTest : public StaticStepTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(OptimizerTest, ComesToTheParametersAndMetricsOfTheLoop) {
  const Job given = job(GetParam());
  GraphModule module(given.model);
  ASSERT_THAT(load_tensors(*given.weights, module->tensors()), testing::is_ok());
  auto step = StaticStep::make(given, module, torch::kCPU).value();

  const auto session = TorchSession::open(given).value();
  ASSERT_THAT(session->restore(), testing::is_ok());
  for (const auto& batches : given.order) {
    session->begin_epoch(batches);
    step.begin(batches);
    for (const BatchIds& ids : batches) {
      session->load();
      const auto count = static_cast<int64_t>(ids.size());
      EXPECT_TRUE(torch::equal(step.batch(count).inputs[0],
                               whole_batch(*given.training, torch::kCPU)
                                   .inputs[0]
                                   .index_select(0, torch::tensor(ids, torch::kLong))));
      session->forward();
      session->backward();
      step.run(count);
    }
    const EpochMetrics expected = session->end_epoch();
    const EpochMetrics came = step.metrics(batches);
    EXPECT_NEAR(came.loss, expected.loss, 1e-6);  // a few units of rounding of the fused update
    EXPECT_EQ(came.accuracy, expected.accuracy);
  }
  ASSERT_THAT(session->save(scratch("trained")), testing::is_ok());
  const auto trained = tensor::SafetensorsFile::open(scratch("trained")).value();
  for (const NamedTensor& named : module->tensors()) {
    EXPECT_TRUE(torch::allclose(
        named.tensor.detach(), borrow(trained.find(named.name).value()), 1e-5, 1e-6))
        << named.name;
  }
}

TEST_P(OptimizerTest, StartsAgainFromNothing) {
  const Job given = job(GetParam());
  GraphModule module(given.model);
  auto step = StaticStep::make(given, module, torch::kCPU).value();
  std::vector<std::vector<torch::Tensor>> came;
  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT(load_tensors(*given.weights, module->tensors()), testing::is_ok());
    step.restart();
    step.begin(given.order.front());
    step.run(kBatch);
    step.run(kBatch);
    came.push_back(values_of(module));
  }
  for (size_t i = 0; i < came[0].size(); ++i) {
    EXPECT_TRUE(torch::equal(came[0][i], came[1][i]));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    OptimizerTest,
    ::testing::Values(
        "type = \"sgd\"\nrate = 0.1\nmomentum = 0.0\n",
        "type = \"sgd\"\nrate = 0.1\nmomentum = 0.9\n"
        "weight_decay = { value = 0.1, form = \"coupled\", applies_to = \"weights\" }\n",
        "type = \"adam\"\nrate = 0.1\nbeta1 = 0.9\nbeta2 = 0.99\nepsilon = 1e-8\n"
        "epsilon_form = \"outside\"\n",
        "type = \"adam\"\nrate = 0.1\nbeta1 = 0.9\nbeta2 = 0.99\nepsilon = 1e-8\n"
        "epsilon_form = \"outside\"\n"
        "weight_decay = { value = 0.1, form = \"decoupled\", applies_to = \"all\" }\n"));

TEST_F(StaticStepTest, RefusesWhatTorchHasNot) {
  const Job given =
      job("type = \"sgd\"\nrate = 0.1\nmomentum = 0.9\n"
          "weight_decay = { value = 0.1, form = \"decoupled\", applies_to = \"all\" }\n");
  GraphModule module(given.model);
  EXPECT_THAT(StaticStep::make(given, module, torch::kCPU),
              testing::fails_with(::testing::HasSubstr("weight_decay.form=decoupled")));
}

}  // namespace
}  // namespace crossbind::worker
