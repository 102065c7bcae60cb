// What a worker reports while it trains, gathered and checked: one that leaves out an epoch or a
// timing has failed, whatever it says at the end.
#pragma once

#include "base/error.h"
#include "tasks/assignment.h"
#include "tasks/train/result.h"

namespace crossbind::tasks {

class TrainingAccount {
 public:
  // `job` must outlive it.
  explicit TrainingAccount(const Assignment& job) : job_(job) {}

  [[nodiscard]] Status add(const protocol::Timings& timings);
  [[nodiscard]] Status add(const protocol::Epoch& epoch);

  // What was measured, when all that a training owes is there. `done` is the reply to train.
  [[nodiscard]] Result<Trained> finish(const protocol::Done& done) &&;

 private:
  [[nodiscard]] Status add_warmup(const protocol::Timings& timings);
  [[nodiscard]] Status add_epoch(const protocol::Timings& timings);
  [[nodiscard]] Status check(const protocol::Done& done) const;

  const Assignment& job_;
  Trained trained_;
  bool has_warmed_up_ = false;
  bool has_scored_ = false;  // the test set after the last epoch
};

}  // namespace crossbind::tasks
