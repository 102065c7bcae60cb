// PyTorch through its languages: whether they compute the same, step by step, and keep doing so.
// Runs the workers that are set up in the cache.
#include <bit>
#include <cmath>

#include "binding_fixture.h"
#include "model/initial_weights.h"
#include "tensor/safetensors.h"

namespace crossbind {
namespace {

using ::testing::Each;
using ::testing::SizeIs;

constexpr int64_t kSteps = 20;
constexpr int64_t kBatch = 8;  // a power of 2: the mean over the epoch's samples is the loss itself

const std::array kModels = {"lenet1", "lenet5", "vgg16", "lstm", "gru", "resnet20"};

struct NamedOptimizer {
  const char* name;
  model::Optimizer optimizer;
};

model::Optimizer sgd(double momentum) {
  return model::Sgd{.rate = 0.01, .momentum = momentum};
}
model::Optimizer adam() {
  return model::Adam{.rate = 0.001, .epsilon = 1e-8};
}

// One step an epoch.
trial::Settings one_step_epochs() {
  return {.device = "cpu",
          .loader = trial::Loader::kResident,
          .seed = 1,
          .epochs = kSteps,
          .batch_size = kBatch,
          .evaluate = trial::Evaluate::kLast};
}

// As far as float32 has them: how many numbers lie between.
int64_t ulps_between(double a, double b) {
  return std::abs(int64_t{std::bit_cast<int32_t>(static_cast<float>(a))} -
                  int64_t{std::bit_cast<int32_t>(static_cast<float>(b))});
}

std::string language_of(const ::testing::TestParamInfo<const char*>& parameter) {
  const std::string name = parameter.param;
  return name.substr(name.find('/') + 1);
}

class AgreementTest : public BindingTest {
 protected:
  // Without dropout, whose masks each binding draws in its own order.
  [[nodiscard]] static model::Model model_with(const std::string& name,
                                               const model::Optimizer& optimizer) {
    model::Model found = model(name);
    found.optimizer = optimizer;
    for (auto& node : found.nodes) {
      if (auto* dropout = std::get_if<model::Dropout>(&node.layer)) {
        dropout->rate = 0;
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<double> losses(BoundWorker& worker,
                                           const std::string& name,
                                           const model::Optimizer& optimizer) const {
    return worker.train(
        exercise(model_with(name, optimizer), one_step_epochs(), {.train = kBatch, .test = 4}));
  }

  void expect_equal_losses(const std::string& one,
                           const std::string& other,
                           const std::vector<NamedOptimizer>& optimizers) const {
    BoundWorker first = start(one);
    BoundWorker second = start(other);
    for (const char* name : kModels) {
      for (const auto& [optimizer_name, optimizer] : optimizers) {
        const auto expected = losses(first, name, optimizer);
        EXPECT_THAT(expected, SizeIs(kSteps));
        EXPECT_NE(expected.front(), expected.back());
        EXPECT_EQ(losses(second, name, optimizer), expected) << name << ", " << optimizer_name;
      }
    }
  }
};

class SameAsPythonTest : public AgreementTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SameAsPythonTest, TwentyStepsOfSgdHaveTheSameLossesBitForBit) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED(GetParam());
  expect_equal_losses("pytorch/python", GetParam(), {{"sgd", sgd(0)}, {"momentum", sgd(0.9)}});
}

INSTANTIATE_TEST_SUITE_P(Compiled,
                         SameAsPythonTest,
                         ::testing::Values("pytorch/cpp", "pytorch/rust"),
                         language_of);

TEST_F(AgreementTest, TwentyStepsOfAdamHaveTheSameLossesInCppAndRust) {
  CROSSBIND_NEED("pytorch/cpp");
  CROSSBIND_NEED("pytorch/rust");
  expect_equal_losses("pytorch/cpp", "pytorch/rust", {{"adam", adam()}});
}

TEST_F(AgreementTest, TheFirstLossOfJavaIsPythonsWithinFourUnits) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED("pytorch/java");
  BoundWorker python = start("pytorch/python");
  BoundWorker java = start("pytorch/java");
  for (const char* name : kModels) {
    const double expected = losses(python, name, sgd(0)).at(0);
    const double came = losses(java, name, sgd(0)).at(0);
    EXPECT_LE(ulps_between(expected, came), 4) << name << ": " << expected << ", " << came;
  }
}

class TrainingTest : public AgreementTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // Twenty steps, each from what the worker itself came to.
  void expect_rounding(BoundWorker& worker, const model::Model& model) const {
    const auto exercise = this->exercise(model, one_step_epochs(), {.train = kBatch, .test = 4});
    worker.ask(exercise.prepare());
    tensor::TensorMap state = model::initial_weights(model, 1);
    for (int64_t number = 1; number <= kSteps; ++number) {
      const auto step = worker.probe(exercise, number, state);
      auto judge = conform::StepJudge::open(model, step).value();
      for (const auto& worst :
           {judge.layers(), judge.loss_and_gradients(), judge.updates(), judge.statistics()}) {
        ASSERT_TRUE(worst.is_rounding()) << model.id << ", step " << number << ": '" << worst.tensor
                                         << "' is off by " << worst.ratio << " units";
      }
    }
  }
};

TEST_P(TrainingTest, EveryStepStaysInsideTheRefereesBounds) {
  CROSSBIND_NEED(GetParam());
  BoundWorker worker = start(GetParam());
  for (const char* name : kModels) {
    expect_rounding(worker, model_with(name, sgd(0.9)));
  }
  // DJL holds beta2 in float32, in which 1 - 0.999 is off by more than a rounding of v.
  model::Adam optimizer{.rate = 0.001, .beta2 = 0.99, .epsilon = 1e-8};
  const auto form = worker.able().conventions.find("adam.epsilon_form");
  ASSERT_NE(form, worker.able().conventions.end());
  optimizer.epsilon_form =
      form->second == "hat" ? model::EpsilonForm::kHat : model::EpsilonForm::kOutside;
  expect_rounding(worker, model_with("lenet5", optimizer));
  expect_rounding(worker, model_with("lstm", optimizer));
}

// A leak of one tensor of activations a step would be 300 MB more in the end.
TEST_P(TrainingTest, MemoryStaysFlatAcrossEpochs) {
  CROSSBIND_NEED(GetParam());
  constexpr int64_t kMostMore = int64_t{48} << 20;  // what allocators keep for later
  const auto peak_after = [&](int64_t epochs) {
    auto settings = one_step_epochs();
    settings.epochs = epochs;
    settings.batch_size = 64;
    BoundWorker worker = start(GetParam());
    const auto exercise =
        this->exercise(model_with("lenet5", sgd(0.9)), settings, {.train = 512, .test = 64});
    EXPECT_THAT(worker.train(exercise), SizeIs(epochs));
    return static_cast<int64_t>(worker.end().usage.peak_memory);
  };
  const int64_t few = peak_after(3);
  EXPECT_LE(peak_after(20) - few, kMostMore);
}

TEST_P(TrainingTest, WhatItSavesIsReadBackInPython) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED(GetParam());
  BoundWorker worker = start(GetParam());
  BoundWorker python = start("pytorch/python");
  for (const char* name : {"lenet5", "lstm", "resnet20"}) {
    const auto model = model_with(name, sgd(0.9));
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
    ASSERT_THAT(tensor::save_safetensors(probe.batch, batch, {}), testing::is_ok());
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
}

// 109 million parameters and what Adam keeps of them: minutes and gigabytes.
TEST_P(TrainingTest, BertIsBuiltCountedAndTrainedAtItsRealSize) {
  if (std::getenv("CROSSBIND_TEST_FULL") == nullptr) {
    GTEST_SKIP() << "bert-base at its real size: only with CROSSBIND_TEST_FULL (make test-full)";
  }
  CROSSBIND_NEED(GetParam());
  auto settings = one_step_epochs();
  settings.epochs = 1;
  settings.batch_size = 1;
  const auto bert =
      model::find_model(
          "bert-base", std::string(CROSSBIND_SOURCE_DIR) + "/models", model::Geometry::kFull)
          .value();
  const auto exercise = this->exercise(bert, settings, {.train = 2, .test = 1});
  BoundWorker worker = start(GetParam());
  EXPECT_EQ(worker.ask(exercise.prepare()).parameters, bert.parameter_count());
  const auto before = worker.infer(exercise.file("before.safetensors"));
  const auto losses = worker.train(exercise);
  EXPECT_THAT(losses, SizeIs(1));
  // Both ends of the span are guesses at first: the mean of two cross-entropies over the positions.
  EXPECT_NEAR(losses.at(0), std::log(static_cast<double>(bert.nodes.back().output.front())), 1.5);
  EXPECT_NE(worker.infer(exercise.file("after.safetensors")).outputs, before.outputs);
}

INSTANTIATE_TEST_SUITE_P(
    Bindings,
    TrainingTest,
    ::testing::Values("pytorch/python", "pytorch/cpp", "pytorch/rust", "pytorch/java"),
    language_of);

class InferenceTest : public BindingTest, public ::testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] static bool can(const BoundWorker& worker, trial::Task task) {
    const auto& tasks = worker.able().tasks;
    return std::ranges::find(tasks, task) != tasks.end();
  }

  static double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
    }
    return largest;
  }

  // Of the model as Python has trained it, by every way that the binding has.
  void expect_python_s_answers(BoundWorker& python, BoundWorker& worker, const char* name) const {
    auto settings = one_step_epochs();
    settings.epochs = 3;
    const auto exercise = this->exercise(model(name), settings, {.train = 64, .test = 100});
    const auto saved = exercise.file("saved.safetensors");
    const auto serialized = exercise.file("model.pt");
    static_cast<void>(python.train(exercise, saved));
    python.ask(protocol::Serialize{.path = serialized});
    const auto expected = python.infer(exercise.file("expected.safetensors"));
    for (const auto task : {trial::Task::kInferParameters, trial::Task::kInferSerialization}) {
      if (!can(worker, task)) {
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
      // Outputs are of order 1; different kernels round a few hundred sums differently.
      EXPECT_LT(largest_difference(came.outputs, expected.outputs), 1e-5) << name;
      EXPECT_EQ(worker.infer(exercise.file("again.safetensors")).outputs, came.outputs) << name;
    }
  }
};

// The last model has dropout two levels down, and so on: in evaluation nothing is dropped.
TEST_P(InferenceTest, AnswersAsPythonDoesWithTheModelThatPythonTrained) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED(GetParam());
  BoundWorker python = start("pytorch/python");
  BoundWorker worker = start(GetParam());
  for (const char* name :
       {"lenet5", "lstm", "resnet20", "bert-base", "workers/pytorch-python/tests/sequence.toml"}) {
    expect_python_s_answers(python, worker, name);
  }
}

// The table of features: what is claimed works, and JavaScript claims no more than it has.
TEST_P(InferenceTest, HasTheFeaturesThatItClaims) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED(GetParam());
  const bool only_serialized = std::string(GetParam()) == "pytorch/javascript";
  for (const auto& attempt : features(GetParam())) {
    const bool works = !only_serialized || attempt.task == trial::Task::kInferSerialization;
    EXPECT_EQ(attempt.experience, works ? checkup::Experience::kWorks : checkup::Experience::kLacks)
        << attempt.family << " " << name_in(trial::kTasks, attempt.task) << ": " << attempt.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bindings,
    InferenceTest,
    ::testing::Values("pytorch/cpp", "pytorch/rust", "pytorch/java", "pytorch/javascript"),
    language_of);

}  // namespace
}  // namespace crossbind
