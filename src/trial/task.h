// What a trial is for, and the words for it. What each task needs and how it is done: src/tasks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/named.h"

namespace crossbind::trial {

// In the order of their trials: what trains comes before what uses it.
enum class Task {
  kTrain,
  kInferParameters,     // the layers are built, the parameters loaded from safetensors
  kInferSerialization,  // the framework's own file of a whole model is loaded
  kJudge,               // training steps are taken apart, and the referee judges them
  kConform,             // what conform says of a binding and a model
};

// The word for a task in stores, and who else says it.
struct TaskWord {
  std::string_view name;
  bool is_of_studies = false;  // a study asks for it
  bool is_of_workers = false;  // a worker claims it
};

[[nodiscard]] constexpr TaskWord word_of(Task task) {
  switch (task) {
    case Task::kTrain:
      return {.name = "train", .is_of_studies = true, .is_of_workers = true};
    case Task::kInferParameters:
      return {.name = "infer-parameters", .is_of_studies = true, .is_of_workers = true};
    case Task::kInferSerialization:
      return {.name = "infer-serialization", .is_of_studies = true, .is_of_workers = true};
    case Task::kJudge:  // whoever trains and probes can be judged
      return {.name = "judge", .is_of_studies = true};
    case Task::kConform:  // asked by a command of its own
      return {.name = "conform"};
  }
  return {};  // no task: here the lists below end
}

// What a store has trials of: every task.
inline constexpr auto kRecordedTasks = [] {
  constexpr size_t kCount = [] {
    size_t count = 0;
    while (!word_of(static_cast<Task>(count)).name.empty()) {
      ++count;
    }
    return count;
  }();
  std::array<Named<Task>, kCount> tasks{};
  for (size_t i = 0; i < kCount; ++i) {
    tasks[i] = {word_of(static_cast<Task>(i)).name, static_cast<Task>(i)};
  }
  return tasks;
}();

template <bool TaskWord::*kSays>
[[nodiscard]] constexpr auto tasks_of() {
  constexpr auto says = [](const Named<Task>& task) { return word_of(task.value).*kSays; };
  std::array<Named<Task>, std::ranges::count_if(kRecordedTasks, says)> tasks{};
  std::ranges::copy_if(kRecordedTasks, tasks.begin(), says);
  return tasks;
}

// What studies ask for.
inline constexpr auto kTasks = tasks_of<&TaskWord::is_of_studies>();
// What workers claim.
inline constexpr auto kWorkerTasks = tasks_of<&TaskWord::is_of_workers>();

}  // namespace crossbind::trial
