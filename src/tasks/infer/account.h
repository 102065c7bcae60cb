// What a worker reports while it infers, gathered and checked: one that times nothing, or answers
// fewer samples than it was asked about, has failed.
#pragma once

#include "base/error.h"
#include "tasks/assignment.h"
#include "tasks/infer/result.h"

namespace crossbind::tasks {

class InferenceAccount {
 public:
  // `job` must outlive it.
  explicit InferenceAccount(const Assignment& job) : job_(job) {}

  [[nodiscard]] Status add(const protocol::Timings& timings);
  [[nodiscard]] Status add(const protocol::Epoch& epoch);

  // What was measured, when all that an inference owes is there. `done` is the reply to infer.
  [[nodiscard]] Result<Inferred> finish(const protocol::Done& done) &&;

 private:
  [[nodiscard]] Status add_warmup(const protocol::Timings& timings);
  [[nodiscard]] Status add_pass(const protocol::Timings& timings);

  const Assignment& job_;
  Inferred inferred_;
  bool has_warmed_up_ = false;
};

}  // namespace crossbind::tasks
