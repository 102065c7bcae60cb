#include "app/cross_study.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/ready_bindings.h"
#include "data/dataset.h"
#include "tasks/rules.h"

namespace crossbind::app {
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
        exceptions.push_back(
            fmt::format("  {{ task = \"{}\", binding = \"{}/*\", weights = \"{}/*\" }},\n",
                        trial::word_of(Task::kInferSerialization).name,
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
  return binding.manifest && tasks::trains_and_saves(binding.manifest->capabilities);
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
  std::vector<Task> tasks = {Task::kTrain, Task::kInferParameters};
  if (serializes) {
    tasks.push_back(Task::kInferSerialization);
  }
  std::vector<std::string> words;
  for (const Task task : tasks) {
    words.push_back(fmt::format("\"{}\"", trial::word_of(task).name));
  }
  text += fmt::format("tasks = [{}]\n", fmt::join(words, ", "));
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

Result<StudyOnMachine> look_up_cross(const CrossQuestion& question,
                                     const std::vector<std::string>& bindings,
                                     const PlanOptions& options,
                                     const Machine& machine,
                                     Progress& progress) {
  StudyOnMachine found;
  CB_ASSIGN(found.bindings, workers::list_bindings(machine.workers));
  CB_ASSIGN(const auto rows, ready_bindings(found.bindings, bindings));
  if (std::ranges::none_of(rows, trains_and_saves)) {
    return tl::unexpected(Error{ErrorKind::kUnavailable,
                                "none of the bindings trains and saves what it trained",
                                {},
                                "'crossbind doctor' says what each can do and what is set up."});
  }
  const spec::FindModel find_model = [&](const std::string& name, model::Geometry geometry) {
    return model::find_model(name, machine.models, geometry);
  };
  CB_ASSIGN(found.text, cross_study(question, rows, find_model));
  CB_ASSIGN(found.study, spec::parse_study(found.text, "crossbind cross", find_model));
  CB_TRY(look_up_facts(options, MissingData::kGenerate, machine, progress, found));
  return found;
}

}  // namespace crossbind::app
