#include "run/made_up_job.h"

#include "tasks/made_up_assignment.h"

namespace crossbind::run {

TrialJob made_up_job(const model::Model& model,
                     trial::Task task,
                     const std::filesystem::path& scratch) {
  TrialJob job{tasks::made_up_assignment(model, task, scratch)};
  job.identity = "0123456789abcdef0123456789abcdef";
  job.axes.binding = "toy/cpp";
  job.axes.model = model.id;
  job.axes.task = name_in(trial::kTasks, task);
  job.scratch = scratch;
  return job;
}

}  // namespace crossbind::run
