// PyTorch through its languages: whether they compute the same, step by step, and keep doing so.
// Runs the workers that are set up in the cache.
#include <bit>
#include <cmath>

#include "agreement_fixture.h"

namespace crossbind {
namespace {

using ::testing::SizeIs;

const std::array kModels = {"lenet1", "lenet5", "vgg16", "lstm", "gru", "resnet20"};

struct NamedOptimizer {
  const char* name;
  model::Optimizer optimizer;
};

// As far as float32 has them: how many numbers lie between.
int64_t ulps_between(double a, double b) {
  return std::abs(int64_t{std::bit_cast<int32_t>(static_cast<float>(a))} -
                  int64_t{std::bit_cast<int32_t>(static_cast<float>(b))});
}

class SameLossesTest : public AgreementTest {
 protected:
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

class SameAsPythonTest : public SameLossesTest,
                         public ::testing::WithParamInterface<const char*> {};

TEST_P(SameAsPythonTest, TwentyStepsOfSgdHaveTheSameLossesBitForBit) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED(GetParam());
  expect_equal_losses("pytorch/python", GetParam(), {{"sgd", sgd(0)}, {"momentum", sgd(0.9)}});
}

INSTANTIATE_TEST_SUITE_P(Compiled,
                         SameAsPythonTest,
                         ::testing::Values("pytorch/cpp", "pytorch/rust"),
                         language_of);

TEST_F(SameLossesTest, TwentyStepsOfAdamHaveTheSameLossesInCppAndRust) {
  CROSSBIND_NEED("pytorch/cpp");
  CROSSBIND_NEED("pytorch/rust");
  expect_equal_losses("pytorch/cpp", "pytorch/rust", {{"adam", adam()}});
}

TEST_F(SameLossesTest, TheFirstLossOfJavaIsPythonsWithinFourUnits) {
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

class TrainingTest : public AgreementTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(TrainingTest, EveryStepStaysInsideTheRefereesBounds) {
  CROSSBIND_NEED(GetParam());
  BoundWorker worker = start(GetParam());
  for (const char* name : kModels) {
    expect_rounding(worker, model_with(name, sgd(0.9)));
  }
  // DJL holds beta2 in float32, in which 1 - 0.999 is off by more than a rounding of v.
  const model::Adam optimizer{.rate = 0.001, .beta2 = 0.99, .epsilon = 1e-8};
  expect_rounding(worker, model_with("lenet5", optimizer));
  expect_rounding(worker, model_with("lstm", optimizer));
}

TEST_P(TrainingTest, MemoryStaysFlatAcrossEpochs) {
  CROSSBIND_NEED(GetParam());
  expect_flat_memory(GetParam());
}

TEST_P(TrainingTest, WhatItSavesIsReadBackInPython) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED(GetParam());
  BoundWorker worker = start(GetParam());
  BoundWorker python = start("pytorch/python");
  for (const char* name : {"lenet5", "lstm", "resnet20"}) {
    expect_read_back(worker, python, name);
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
      model::find_model("bert-base", testing::source_path("models"), model::Geometry::kFull)
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

class InferenceTest : public AgreementTest, public ::testing::WithParamInterface<const char*> {};

// The last model has dropout two levels down, and so on: in evaluation nothing is dropped.
TEST_P(InferenceTest, AnswersAsPythonDoesWithTheModelThatPythonTrained) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED(GetParam());
  BoundWorker python = start("pytorch/python");
  BoundWorker worker = start(GetParam());
  for (const char* name :
       {"lenet5", "lstm", "resnet20", "bert-base", "workers/pytorch-python/tests/sequence.toml"}) {
    expect_answers_of_python(python, worker, name);
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
