// Plans a million trials, new and then all done, and prints the seconds and the peak memory. Run
// it by itself: the memory is the process's.
#include <fmt/format.h>

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <numeric>

#include "figures.h"
#include "model/features.h"
#include "plan/plan.h"

namespace crossbind::plan {
namespace {

constexpr size_t kBindings = 20;

// 20 bindings, 10 models, 2 devices, 2 tasks, 2 loaders, 125 seeds, 5 repeats.
Result<spec::Study> million() {
  spec::Study study;
  study.name = "million";
  study.bindings = {"*"};
  study.seeds.resize(125);
  std::iota(study.seeds.begin(), study.seeds.end(), 0U);
  study.devices = {"cpu", "cuda"};
  study.tasks = {trial::Task::kTrain, trial::Task::kInferParameters};
  study.loaders = {trial::Loader::kIdiomatic, trial::Loader::kResident};
  study.variants = {trial::Variant::kStep};
  study.measures = {trial::Measure::kTotal};
  study.repeats = 5;
  study.inference_weights = {"made-up/0"};
  for (const std::string id : {"lenet1",
                               "lenet5",
                               "resnet20",
                               "vgg16",
                               "lstm",
                               "gru",
                               "bert-base",
                               "vgg-small",
                               "gru-small",
                               "lstm-small"}) {
    spec::ModelEntry entry;
    CB_ASSIGN(entry.model,
              model::find_model(
                  id, std::string(CROSSBIND_SOURCE_DIR) + "/models", model::Geometry::kFull));
    entry.label = id;
    study.models.push_back(std::move(entry));
  }
  return study;
}

Facts facts_of(const spec::Study& study) {
  Facts facts;
  trial::Capabilities able;
  able.tasks = study.tasks;
  able.devices = study.devices;
  able.loaders = study.loaders;
  able.variants = study.variants;
  able.measures = study.measures;
  able.training_accuracies = {trial::TrainingAccuracy::kRunning};
  able.saves = true;
  for (const auto& entry : study.models) {
    for (const auto& type : model::layer_types(entry.model)) {
      able.layers.push_back(type);
    }
    able.losses.emplace_back(model::loss_type(entry.model));
    able.optimizers.emplace_back(model::optimizer_type(entry.model));
    facts.datasets.push_back({entry.model.dataset, "sha", 2000, 500, ""});
  }
  for (size_t i = 0; i < kBindings; ++i) {
    facts.bindings.push_back({fmt::format("made-up/{}", i), able, "build", ""});
  }
  return facts;
}

Result<Plan> timed(const char* what, const spec::Study& study, const Facts& facts) {
  const auto begin = std::chrono::steady_clock::now();
  auto plan = make_plan(study, facts);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (plan) {
    fmt::print("{:<8}  {} trials  {:.2f} s  peak {} MiB\n",
               what,
               plan->trials.size(),
               seconds.count(),
               usage.ru_maxrss / 1024);
    const auto mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
    note_figure("plan", fmt::format("{:.2f} s ({})", seconds.count(), what), seconds.count() < 3);
    note_figure("plan_memory", fmt::format("{:.0f} MiB ({})", mebibytes, what), mebibytes < 1024);
  }
  return plan;
}

Status run() {
  CB_ASSIGN(const spec::Study study, million());
  Facts facts = facts_of(study);
  CB_ASSIGN(const Plan plan, timed("new", study, facts));
  facts.past.reserve(plan.trials.size());
  for (const Trial& trial : plan.trials) {
    facts.past.emplace(trial.id, Past{});
  }
  CB_TRY(timed("all done", study, facts));
  return {};
}

}  // namespace
}  // namespace crossbind::plan

int main() {
  const auto status = crossbind::plan::run();
  if (!status) {
    std::fputs((status.error().to_string() + "\n").c_str(), stderr);
  }
  return status ? 0 : 1;
}
