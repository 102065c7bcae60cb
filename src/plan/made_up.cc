#include "plan/made_up.h"

#include <cstdlib>

#include "testing/testing.h"

namespace crossbind::plan {

spec::Study parsed_study(const std::string& text) {
  auto study =
      spec::parse_study(text, "mine.toml", [](const std::string& name, model::Geometry geometry) {
        return model::find_model(name, testing::source_path("models"), geometry);
      });
  EXPECT_THAT(study, testing::is_ok());
  return study.value_or(spec::Study{});
}

spec::Study made_up_study(const std::string& keys) {
  return parsed_study(std::string(kOpening) + keys + "\n" + std::string(kBothTasks));
}

trial::Capabilities everything() {
  trial::Capabilities able;
  able.tasks = {
      trial::Task::kTrain, trial::Task::kInferParameters, trial::Task::kInferSerialization};
  able.devices = {"cpu", "cuda"};
  able.loaders = {trial::Loader::kIdiomatic, trial::Loader::kResident};
  able.variants = {trial::Variant::kStep, trial::Variant::kFit, trial::Variant::kSavedModel};
  able.measures = {trial::Measure::kTotal, trial::Measure::kParts};
  able.training_accuracies = {trial::TrainingAccuracy::kEval, trial::TrainingAccuracy::kRunning};
  able.layers = {"pad", "conv2d", "tanh", "max_pool2d", "flatten", "linear"};
  able.losses = {"cross_entropy"};
  able.optimizers = {"sgd", "adam"};
  able.saves = true;
  able.reads = able.writes = {trial::Format::kTorchScript};
  return able;
}

Facts made_up_facts(const spec::Study& study) {
  Facts facts;
  for (const std::string name : {"reference/cpp", "reference/python", "pytorch/rust"}) {
    facts.bindings.push_back({name, everything(), "build of " + name, ""});
  }
  for (const auto& entry : study.models) {
    facts.datasets.push_back(
        {entry.model.dataset, "sha of " + entry.model.dataset, 2000, 500, "", ""});
  }
  return facts;
}

Plan planned(const spec::Study& study, const Facts& facts) {
  auto plan = make_plan(study, facts);
  EXPECT_THAT(plan, testing::is_ok());
  return plan.value_or(Plan{});
}

const Trial& find(const spec::Study& study, const Plan& plan, const Wanted& wanted) {
  for (const auto& trial : plan.trials) {
    const Block& block = plan.block_of(trial);
    const Condition& condition = plan.condition_of(trial);
    if (plan.bindings[trial.binding] == wanted.binding &&
        study.models[condition.model].model.id == wanted.model && condition.task == wanted.task &&
        block.seed == wanted.seed && block.repeat == wanted.repeat) {
      return trial;
    }
  }
  ADD_FAILURE() << "no such trial";
  std::abort();
}

}  // namespace crossbind::plan
