// TensorFlow through its languages: whether they compute the same, step by step, and keep doing so.
// Natively each language builds the graph of its own operations; as a SavedModel all of them drive
// the graph that Python has written. Runs the workers that are set up in the cache.
#include <cmath>

#include "agreement_fixture.h"
#include "tasks/missing.h"
#include "trial/binding_name.h"

namespace crossbind {
namespace {

using ::testing::SizeIs;

class SavedModelTest : public AgreementTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static protocol::Prepare saved_model_of(const checkup::Exercise& exercise) {
    auto prepare = exercise.prepare();
    prepare.weights.reset();
    prepare.serialized = exercise.file("saved");
    prepare.settings.variant = trial::Variant::kSavedModel;
    return prepare;
  }

  static std::vector<double> losses_of(BoundWorker& worker, const protocol::Prepare& prepare) {
    worker.ask(prepare);
    std::vector<double> losses;
    for (const auto& event : worker.answer(protocol::Train{}).events) {
      if (const auto* epoch = std::get_if<protocol::Epoch>(&event)) {
        losses.push_back(epoch->loss);
      }
    }
    return losses;
  }
};

TEST_P(SavedModelTest, TwentyStepsHaveTheLossesOfPythonBitForBit) {
  CROSSBIND_NEED("tensorflow/python");
  CROSSBIND_NEED(GetParam());
  BoundWorker python = start("tensorflow/python");
  BoundWorker worker = start(GetParam());
  const auto expect_equal_losses = [&](const char* name, const model::Optimizer& optimizer) {
    const auto exercise = this->exercise(
        model_with(name, optimizer), one_step_epochs(), {.train = kBatch, .test = 4});
    python.ask(exercise.prepare());
    python.ask(protocol::Serialize{
        .path = exercise.file("saved"), .format = trial::Format::kSavedModel, .training = true});
    const auto expected = losses_of(python, saved_model_of(exercise));
    EXPECT_THAT(expected, SizeIs(kSteps));
    EXPECT_NE(expected.front(), expected.back());
    EXPECT_EQ(losses_of(worker, saved_model_of(exercise)), expected) << name;
  };
  for (const char* name : {"lenet1", "lenet5", "vgg16", "lstm", "gru", "resnet20"}) {
    expect_equal_losses(name, sgd(0.9));
  }
  expect_equal_losses("lenet5", adam());
  expect_equal_losses("lstm", adam());
}

INSTANTIATE_TEST_SUITE_P(Bindings,
                         SavedModelTest,
                         ::testing::Values("tensorflow/cpp", "tensorflow/rust", "tensorflow/java"),
                         language_of);

// What each binding must be able to train with layers of its own.
struct Native {
  const char* binding;
  bool has_adam;
  bool has_reset_after;
};

std::string language_of_native(const ::testing::TestParamInfo<Native>& parameter) {
  return trial::BindingName(parameter.param.binding).language();
}

class NativeTest : public AgreementTest, public ::testing::WithParamInterface<Native> {
 protected:
  static std::vector<const char*> models() {
    std::vector<const char*> names = {"lenet1", "lenet5", "vgg16", "lstm", "grurb", "resnet20"};
    if (GetParam().has_reset_after) {
      names.push_back("gru");
    }
    return names;
  }
};

TEST_P(NativeTest, TheFirstLossIsPythons) {
  CROSSBIND_NEED("tensorflow/python");
  CROSSBIND_NEED(GetParam().binding);
  BoundWorker python = start("tensorflow/python");
  BoundWorker worker = start(GetParam().binding);
  for (const char* name : models()) {
    const double expected = losses(python, name, sgd(0)).at(0);
    EXPECT_NEAR(losses(worker, name, sgd(0)).at(0), expected, 1e-6 * std::abs(expected)) << name;
  }
}

TEST_P(NativeTest, EveryStepStaysInsideTheRefereesBounds) {
  CROSSBIND_NEED(GetParam().binding);
  BoundWorker worker = start(GetParam().binding);
  for (const char* name : models()) {
    expect_rounding(worker, model_with(name, sgd(0.9)));
  }
  expect_rounding(worker, model_with("lenet5", sgd(0)));
  const auto& optimizers = worker.able().optimizers;
  EXPECT_EQ(std::ranges::find(optimizers, "adam") != optimizers.end(), GetParam().has_adam);
  if (GetParam().has_adam) {
    expect_rounding(worker, model_with("lenet5", adam()));
    expect_rounding(worker, model_with("lstm", adam()));
  }
}

TEST_P(NativeTest, MemoryStaysFlatAcrossEpochs) {
  CROSSBIND_NEED(GetParam().binding);
  expect_flat_memory(GetParam().binding);
}

TEST_P(NativeTest, WhatItSavesIsReadBackInPython) {
  CROSSBIND_NEED("tensorflow/python");
  CROSSBIND_NEED(GetParam().binding);
  BoundWorker worker = start(GetParam().binding);
  BoundWorker python = start("tensorflow/python");
  for (const char* name : {"lenet5", "lstm", "resnet20"}) {
    expect_read_back(worker, python, name);
  }
}

INSTANTIATE_TEST_SUITE_P(Bindings,
                         NativeTest,
                         ::testing::Values(Native{"tensorflow/python", true, true},
                                           Native{"tensorflow/cpp", true, true},
                                           Native{"tensorflow/rust", false, true},
                                           Native{"tensorflow/java", true, true},
                                           Native{"tensorflow/javascript", true, false}),
                         language_of_native);

// A While loop has no gradient outside of Python: at its real length a recurrent layer is refused.
class UnrolledTest : public AgreementTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(UnrolledTest, ALongRecurrentLayerIsRefusedByName) {
  CROSSBIND_NEED(GetParam());
  auto lstm =
      model::find_model("lstm-small", testing::source_path("models"), model::Geometry::kFull)
          .value();
  lstm.optimizer = sgd(0);
  auto settings = one_step_epochs();
  settings.epochs = 1;
  const auto exercise = this->exercise(lstm, settings, {.train = 2, .test = 2});
  BoundWorker worker = start(GetParam());
  auto answer = worker.answer(exercise.prepare());
  if (answer.done) {
    answer = worker.answer(protocol::Train{});
  }
  ASSERT_FALSE(answer.done.has_value());
  const auto* lack = std::get_if<converse::Lack>(&answer.done.error());
  ASSERT_NE(lack, nullptr);
  EXPECT_EQ(lack->feature, "while gradient");
}

INSTANTIATE_TEST_SUITE_P(Bindings,
                         UnrolledTest,
                         ::testing::Values("tensorflow/cpp", "tensorflow/rust", "tensorflow/java"),
                         language_of);

class InferenceTest : public AgreementTest, public ::testing::WithParamInterface<const char*> {};

// BERT comes by serialization where it cannot be built.
TEST_P(InferenceTest, AnswersAsPythonDoesWithTheModelThatPythonTrained) {
  CROSSBIND_NEED("tensorflow/python");
  CROSSBIND_NEED(GetParam());
  BoundWorker python = start("tensorflow/python");
  BoundWorker worker = start(GetParam());
  for (const char* name : {"lenet5", "vgg16", "lstm", "grurb", "resnet20", "bert-base"}) {
    expect_answers_of_python(python, worker, name);
  }
}

TEST_P(InferenceTest, HasTheFeaturesThatItClaims) {
  CROSSBIND_NEED("tensorflow/python");
  CROSSBIND_NEED(GetParam());
  bool has_worked = false;
  for (const auto& attempt : features(GetParam())) {
    EXPECT_NE(attempt.experience, checkup::Experience::kFails)
        << attempt.family << " " << name_in(trial::kTasks, attempt.task) << ": " << attempt.reason;
    has_worked |= attempt.experience == checkup::Experience::kWorks;
  }
  EXPECT_TRUE(has_worked);
}

INSTANTIATE_TEST_SUITE_P(Bindings,
                         InferenceTest,
                         ::testing::Values("tensorflow/cpp",
                                           "tensorflow/rust",
                                           "tensorflow/java",
                                           "tensorflow/javascript"),
                         language_of);

// As the study found it: of the two forms of a GRU, TensorFlow in JavaScript has the older one.
TEST_F(AgreementTest, JavaScriptHasNoGruThatResetsAfterTheProduct) {
  CROSSBIND_NEED("tensorflow/javascript");
  const auto able = find("tensorflow/javascript").binding.manifest->capabilities;
  EXPECT_THAT(able.lacks, ::testing::Contains("gru.reset_after=true"));
  EXPECT_NE(tasks::missing_of_model(able, model("gru"), trial::Task::kTrain), std::nullopt);
  EXPECT_EQ(tasks::missing_of_model(able, model("grurb"), trial::Task::kTrain), std::nullopt);
}

}  // namespace
}  // namespace crossbind
