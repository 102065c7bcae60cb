#include "tasks/rules.h"

#include <algorithm>

#include "tasks/conform/rules.h"
#include "tasks/infer/rules.h"
#include "tasks/judge/rules.h"
#include "tasks/train/rules.h"

namespace crossbind::tasks {
namespace {

using trial::Task;

constexpr const Rules& find_rules(Task task) {
  switch (task) {
    case Task::kTrain:
      return kTrainRules;
    case Task::kInferParameters:
      return kInferParametersRules;
    case Task::kInferSerialization:
      return kInferSerializationRules;
    case Task::kJudge:
      return kJudgeRules;
    case Task::kConform:
      break;
  }
  return kConformRules;
}

// A claim is about a word that workers say, and such a word is about its own task.
static_assert(std::ranges::all_of(trial::kRecordedTasks, [](const auto& task) {
  const Task claimed = find_rules(task.value).claimed_as;
  return trial::word_of(claimed).is_of_workers &&
         trial::word_of(task.value).is_of_workers == (claimed == task.value);
}));

// Tasks run in their order, and a source before its users.
static_assert(std::ranges::is_partitioned(trial::kRecordedTasks, [](const auto& task) -> bool {
  return find_rules(task.value).feeds_others;
}));

}  // namespace

const Rules& rules_of(Task task) {
  return find_rules(task);
}

bool trains_and_saves(const trial::Capabilities& capabilities) {
  return capabilities.saves && std::ranges::any_of(capabilities.tasks, [](Task task) -> bool {
           return rules_of(task).feeds_others;
         });
}

bool is_serialized(Task task, trial::Variant variant) {
  return rules_of(task).takes_file || variant == trial::Variant::kSavedModel;
}

}  // namespace crossbind::tasks
