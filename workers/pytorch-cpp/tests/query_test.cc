// What a session answers to queries and to probes with dropout, and how it evaluates.
#include <gmock/gmock.h>

#include "session_cases.h"
#include "tensors.h"
#include "testing/testing.h"
#include "torch_session.h"

namespace crossbind::worker {
namespace {

class TorchQueryTest : public testing::ScratchTest {
 protected:
  static Result<std::unique_ptr<Session>> open(const Job& job) { return TorchSession::open(job); }

  // The job's model, which has one layer, as TorchScript with other parameters than the job's.
  void serialize(Job& job) const {
    torch::jit::Module layer("Layer");
    layer.register_parameter("weight", torch::tensor({{1.0, -2.0, 0.5}, {0.25, 3.0, -1.0}}), false);
    layer.register_parameter("bias", torch::tensor({0.5, -0.5}), false);
    torch::jit::Module network("Network");
    network.register_module("fc", layer);
    network.define(
        "def forward(self, x):\n  return torch.linear(x, self.fc.weight, self.fc.bias)\n");
    network.save(scratch("model.pt").string());
    job.weights.reset();
    job.serialized = SerializedModel{scratch("model.pt"), trial::Format::kTorchScript};
  }
};

TEST_F(TorchQueryTest, AnswersWithOutputsAndGradients) {
  for (const model::Model& model : smooth_models()) {
    const Job job = made_up_job(model, scratch(""));
    expect_right_answers(*open(job).value(), job);
  }
}

TEST_F(TorchQueryTest, LeavesNoTrace) {
  const Job job = made_up_job(smooth_models().front(), scratch(""));
  expect_answers_without_a_trace(open, job, scratch(""));
}

TEST_F(TorchQueryTest, HasNoGradientsOfIntegers) {
  const Job job = made_up_job(
      made_up_model(
          R"({ name = "words", type = "embedding", kind = "token", entries = 5, width = 2 },
             { name = "last", type = "select_last" })",
          "tokens = { shape = [3], entries = 5 }"),
      scratch(""));
  const auto answer = open(job).value()->query(*job.testing, Gradients::kOfInputs);
  ASSERT_THAT(answer, testing::is_ok());
  EXPECT_THAT(answer->gradients, ::testing::IsEmpty());
  EXPECT_THAT(answer->outputs.shape(), ::testing::ElementsAre(job.testing->size, 2));
}

TEST_F(TorchQueryTest, AnswersForATorchScriptFile) {
  Job job = made_up_job(made_up_model(R"({ name = "fc", type = "linear", out = 2, bias = true })",
                                      "x = { shape = [3] }"),
                        scratch(""));
  serialize(job);
  const auto session = open(job).value();
  expect_right_answers(*session, job);
  expect_evaluation_of_both_splits(*session, job);
}

TEST_F(TorchQueryTest, DrawsDropoutInProbesThatWantIt) {
  expect_drawn_dropout(open, scratch(""));
}

TEST_F(TorchQueryTest, EvaluatesBothSplits) {
  for (const auto loader : {trial::Loader::kIdiomatic, trial::Loader::kResident}) {
    Job job = made_up_job(smooth_models().front(), scratch(""));
    job.settings.loader = loader;
    expect_evaluation_of_both_splits(*open(job).value(), job);
  }
}

}  // namespace
}  // namespace crossbind::worker
