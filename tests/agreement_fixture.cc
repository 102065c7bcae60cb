#include "agreement_fixture.h"

#include <cmath>

#include "judge/built_model.h"
#include "judge/judged_step.h"
#include "model/forms.h"
#include "model/initial_weights.h"
#include "tasks/missing.h"
#include "tensor/safetensors.h"
#include "trial/binding_name.h"

namespace crossbind {
namespace {

using testing::is_ok;
using ::testing::SizeIs;

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  }
  return largest;
}

// The largest, but at least 1.
double size_of(const std::vector<float>& outputs) {
  double size = 1;
  for (const float output : outputs) {
    size = std::max(size, std::abs(double{output}));
  }
  return size;
}

bool can(const BoundWorker& worker, trial::Task task, const model::Model& model) {
  const auto& able = worker.able();
  return std::ranges::find(able.tasks, task) != able.tasks.end() &&
         !tasks::missing_of_model(able, model, task);
}

}  // namespace

model::Optimizer sgd(double momentum) {
  return model::Sgd{.rate = 0.01, .momentum = momentum};
}

model::Optimizer adam() {
  return model::Adam{.rate = 0.001, .epsilon = 1e-8};
}

trial::Settings one_step_epochs() {
  return {.device = "cpu",
          .loader = trial::Loader::kResident,
          .seed = 1,
          .epochs = kSteps,
          .batch_size = kBatch,
          .evaluate = trial::Evaluate::kLast};
}

std::string language_of(const ::testing::TestParamInfo<const char*>& parameter) {
  return trial::BindingName(parameter.param).language();
}

model::Model AgreementTest::model_with(const std::string& name, const model::Optimizer& optimizer) {
  model::Model found = judge::without_dropout(model(name));
  found.optimizer = optimizer;
  return found;
}

std::vector<double> AgreementTest::losses(BoundWorker& worker,
                                          const std::string& name,
                                          const model::Optimizer& optimizer) const {
  return worker.train(
      exercise(model_with(name, optimizer), one_step_epochs(), {.train = kBatch, .test = 4}));
}

void AgreementTest::expect_rounding(BoundWorker& worker, const model::Model& model) const {
  const auto exercise = this->exercise(model, one_step_epochs(), {.train = kBatch, .test = 4});
  const auto prepared = worker.ask(exercise.prepare());
  const auto built = model::with_forms(model, prepared.effective);
  ASSERT_THAT(built, is_ok());
  tensor::TensorMap state = model::initial_weights(model, 1);
  for (int64_t number = 1; number <= kSteps; ++number) {
    const auto step = worker.probe(exercise, number, state);
    const auto judged = judge::judge_step(*built, step);
    ASSERT_THAT(judged, is_ok()) << model.id << ", step " << number;
    const auto worst = judge::worst_of(*judged);
    ASSERT_TRUE(worst.is_rounding()) << model.id << ", step " << number << ": '" << worst.tensor
                                     << "' is off by " << worst.ratio << " times its bound";
  }
}

int64_t AgreementTest::peak_after(const std::string& binding, int64_t epochs) const {
  auto settings = one_step_epochs();
  settings.epochs = epochs;
  settings.batch_size = 64;
  BoundWorker worker = start(binding);
  const auto exercise =
      this->exercise(model_with("lenet5", sgd(0)), settings, {.train = 512, .test = 64});
  EXPECT_THAT(worker.train(exercise), SizeIs(epochs));
  return static_cast<int64_t>(worker.end().usage.peak_memory);
}

// A leak of one tensor of activations a step would be 300 MB more in the end.
void AgreementTest::expect_flat_memory(const std::string& binding) const {
  constexpr int64_t kMostMore = int64_t{48} << 20;  // what allocators keep for later
  const int64_t few = peak_after(binding, 3);
  EXPECT_LE(peak_after(binding, 20) - few, kMostMore);
}

void AgreementTest::expect_read_back(BoundWorker& worker,
                                     BoundWorker& python,
                                     const std::string& name) const {
  const auto model = model_with(name, sgd(0));
  const auto exercise = this->exercise(model, one_step_epochs(), {.train = kBatch, .test = 4});
  const auto saved = exercise.file("saved.safetensors");
  static_cast<void>(worker.train(exercise, saved));
  const auto parameters = tensor::load_safetensors(saved).value();
  EXPECT_THAT(parameters, SizeIs(model.parameters.size()));

  auto prepare = exercise.prepare();
  prepare.weights = saved;
  python.ask(prepare);
  protocol::Probe probe;
  probe.mode = protocol::ProbeMode::kEval;
  probe.batch = exercise.file("batch.safetensors");
  probe.directory = exercise.file("");
  tensor::TensorMap batch;
  for (const auto& input : model.inputs) {
    batch.emplace(input.name, tensor::Tensor(exercise.data().find("test." + input.name).value()));
  }
  ASSERT_THAT(tensor::save_safetensors(probe.batch, batch, {}), is_ok());
  for (const auto& parameter : model.parameters) {
    probe.wanted.push_back(parameter.name);
  }
  const auto loaded = tensor::load_safetensors(python.ask(probe).tensors.value_or("")).value();
  for (const auto& parameter : model.parameters) {
    const auto& mine = parameters.at(parameter.name);
    const auto& theirs = loaded.at(parameter.name);
    EXPECT_EQ(mine.shape(), theirs.shape()) << parameter.name;
    EXPECT_TRUE(std::ranges::equal(mine.view().bytes, theirs.view().bytes)) << parameter.name;
  }
}

void AgreementTest::expect_answers_of_python(BoundWorker& python,
                                             BoundWorker& worker,
                                             const std::string& name) const {
  auto settings = one_step_epochs();
  settings.epochs = 3;
  const auto exercise = this->exercise(model(name), settings, {.train = 64, .test = 100});
  const auto saved = exercise.file("saved.safetensors");
  const auto serialized = exercise.file("model.serialized");
  static_cast<void>(python.train(exercise, saved));
  python.ask(protocol::Serialize{.path = serialized, .format = python.able().writes.front()});
  const auto expected = python.infer(exercise.file("expected.safetensors"));
  for (const auto task : {trial::Task::kInferParameters, trial::Task::kInferSerialization}) {
    if (!can(worker, task, exercise.model())) {
      continue;
    }
    auto prepare = exercise.prepare();
    prepare.order.reset();
    prepare.weights.reset();
    (task == trial::Task::kInferParameters ? prepare.weights : prepare.serialized) =
        task == trial::Task::kInferParameters ? saved : serialized;
    worker.ask(prepare);
    const auto came = worker.infer(exercise.file("outputs.safetensors"));
    EXPECT_EQ(came.accuracy, expected.accuracy) << name << name_in(trial::kTasks, task);
    // Different kernels round a few hundred sums differently.
    EXPECT_LT(largest_difference(came.outputs, expected.outputs), 1e-5 * size_of(expected.outputs))
        << name;
    EXPECT_EQ(worker.infer(exercise.file("again.safetensors")).outputs, came.outputs) << name;
  }
}

}  // namespace crossbind
