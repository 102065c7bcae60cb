#include "tasks/made_up_assignment.h"

namespace crossbind::tasks {

Assignment made_up_assignment(const model::Model& model,
                              trial::Task task,
                              const std::filesystem::path& directory) {
  Assignment job;
  job.model = &model;
  job.task = task;
  job.settings.epochs = 2;
  job.settings.batch_size = 8;
  job.settings.warmup_steps = 2;
  job.settings.seed = 7;
  job.model_file = directory / "weights.safetensors";
  job.data = {directory / "data.safetensors", 20, 10};
  job.order = directory / "order.safetensors";
  job.saves = true;
  return job;
}

}  // namespace crossbind::tasks
