#include "cli/cross_study.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "data/dataset.h"

namespace crossbind::cli {
namespace {

using trial::Task;

constexpr const char* kDigits = "glyphs-2000-500";
// What makes the LeNets learn something in a few epochs of a few samples.
constexpr const char* kQuickTraining =
    "batch_size = 16\noptimizer = { type = \"sgd\", rate = 0.02, momentum = 0.9 }\n";

// The libraries of a GPU alone take more than a study grants without saying so.
constexpr const char* kMemoryOfGpuPrograms = "memory_limit_mib = 32768\n";

bool can(const workers::Binding& binding, Task task) {
  const auto& tasks = binding.manifest->capabilities.tasks;
  return std::ranges::find(tasks, task) != tasks.end();
}

// A serialized model stays within its framework: one exception a pair of others.
std::vector<std::string> exceptions_of(const std::vector<workers::Binding>& bindings) {
  std::set<std::string> frameworks;
  std::set<std::string> training;
  for (const auto& binding : bindings) {
    frameworks.insert(binding.framework);
    if (trains_and_saves(binding)) {
      training.insert(binding.framework);
    }
  }
  std::vector<std::string> exceptions;
  for (const auto& framework : frameworks) {
    for (const auto& other : training) {
      if (framework != other) {
        exceptions.push_back(fmt::format(
            "  {{ task = \"infer-serialization\", binding = \"{}/*\", weights = \"{}/*\" }},\n",
            framework,
            other));
      }
    }
  }
  return exceptions;
}

Result<std::string> entry_of(const std::string& name,
                             const CrossQuestion& question,
                             const std::string& dataset,
                             const spec::FindModel& find_model) {
  CB_ASSIGN(const model::Model model, find_model(name, model::Geometry::kFull));
  std::string text = fmt::format("[[models]]\nmodel = {:?}\n", name);
  if (!dataset.empty()) {
    text += fmt::format("dataset = {:?}\n", dataset);
  }
  if (question.train_samples) {
    text += fmt::format("train_samples = {}\n", *question.train_samples);
  }
  CB_ASSIGN(const auto info, data::find_dataset(dataset.empty() ? model.dataset : dataset));
  const bool is_large = model.parameter_count() > kSmallModel;
  if (is_large && !question.whole && (info.test == 0 || info.test > kTestSubset)) {
    text += fmt::format("test_samples = {}\n", kTestSubset);
  }
  return text;
}

}  // namespace

bool trains_and_saves(const workers::Binding& binding) {
  return binding.manifest && binding.manifest->capabilities.saves && can(binding, Task::kTrain);
}

Result<std::string> cross_study(const CrossQuestion& question,
                                const std::vector<workers::Binding>& bindings,
                                const spec::FindModel& find_model) {
  std::vector<std::string> names;
  names.reserve(bindings.size());
  for (const auto& binding : bindings) {
    names.push_back(fmt::format("\"{}\"", binding.name));
  }
  std::string text = fmt::format(
      "name = \"cross\"\ntitle = \"Trained and saved in each binding, scored in every other\"\n"
      "bindings = [{}]\nseeds = [1]\ndevices = [\"{}\"]\n",
      fmt::join(names, ", "),
      question.device);
  const bool serializes = std::ranges::any_of(
      bindings, [](const auto& binding) { return can(binding, Task::kInferSerialization); });
  text += fmt::format("tasks = [\"train\", \"infer-parameters\"{}]\n",
                      serializes ? ", \"infer-serialization\"" : "");
  if (const auto exceptions = exceptions_of(bindings); serializes && !exceptions.empty()) {
    text += fmt::format("except = [\n{}]\n", fmt::join(exceptions, ""));
  }
  const bool is_default = question.models.empty();
  const auto models = is_default ? std::vector<std::string>{"lenet1", "lenet5"} : question.models;
  text += fmt::format("[training]\nepochs = {}\nevaluate = \"last\"\n{}",
                      question.epochs,
                      is_default ? kQuickTraining : "");
  text += "[inference]\nweights = [\"*\"]\n[run]\nwarmup_steps = 0\n";
  if (question.device != "cpu") {
    text += kMemoryOfGpuPrograms;
  }
  const std::string dataset = is_default && question.dataset.empty() ? kDigits : question.dataset;
  for (const auto& name : models) {
    CB_ASSIGN(const std::string entry, entry_of(name, question, dataset, find_model));
    text += entry;
  }
  return text;
}

}  // namespace crossbind::cli
