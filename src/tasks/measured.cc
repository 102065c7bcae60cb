#include "tasks/measured.h"

#include "tasks/conform/rows.h"
#include "tasks/infer/rows.h"
#include "tasks/judge/rows.h"
#include "tasks/train/rows.h"

namespace crossbind::tasks {
namespace {

Result<Measured> read_by(trial::Task task, const store::TrialRecord& trial) {
  switch (task) {
    case trial::Task::kTrain:
      return read_trained(trial);
    case trial::Task::kInferParameters:
    case trial::Task::kInferSerialization:
      return read_inferred(trial);
    case trial::Task::kJudge:
      return read_judged(trial);
    case trial::Task::kConform:
      return read_conformed(trial);
  }
  return fail(ErrorKind::kUnsupported, "there is no task {}", static_cast<int>(task));
}

}  // namespace

Result<trial::Task> task_of(const store::Axes& axes) {
  const auto task = value_in(trial::kRecordedTasks, axes.task);
  if (!task) {
    return tl::unexpected(Error{ErrorKind::kUnsupported,
                                fmt::format("the task '{}' is not known", axes.task),
                                {},
                                "Another version of crossbind may have written it."});
  }
  return *task;
}

void write(const Measured& measured, store::TrialRecord& into) {
  std::visit([&](const auto& one) { write(one, into); }, measured);
}

Result<Measured> read(const store::TrialRecord& trial) {
  CB_ASSIGN(const auto task, task_of(trial.axes).map_error([&](Error&& error) {
    return std::move(error).at("trial " + trial.identity);
  }));
  return read_by(task, trial).map_error([&](Error&& error) {
    return std::move(error).at("trial " + trial.identity);
  });
}

}  // namespace crossbind::tasks
