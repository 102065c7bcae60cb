// What a worker reports during one trial, gathered and checked: a worker that leaves out an epoch
// or a timing has failed, whatever it says at the end.
#pragma once

#include "base/error.h"
#include "run/trial_job.h"
#include "store/record.h"

namespace crossbind::run {

class Account {
 public:
  // Both must outlive it.
  Account(const TrialJob& job, store::TrialRecord& record) : job_(job), record_(record) {}

  [[nodiscard]] Status add(const protocol::Timings& timings);
  [[nodiscard]] Status add(const protocol::Epoch& epoch);

  // Whether all that the task owes is there. `done` is the reply to train or infer.
  [[nodiscard]] Status finish(const protocol::Done& done);

 private:
  [[nodiscard]] Status add_warmup(const protocol::Timings& timings);
  [[nodiscard]] Status add_train(const protocol::Timings& timings);
  [[nodiscard]] Status finish_training(const protocol::Done& done) const;
  [[nodiscard]] Status finish_inference(const protocol::Done& done);
  [[nodiscard]] Status add_parts(const protocol::Timings& timings,
                                 const std::string& prefix,
                                 int64_t steps);
  void add_series(const std::string& metric, int epoch, const std::vector<int64_t>& nanoseconds);

  const TrialJob& job_;
  store::TrialRecord& record_;
  bool has_warmed_up_ = false;
  bool has_scored_ = false;  // the test set after the last epoch
  int64_t epochs_timed_ = 0;
  int64_t inferences_timed_ = 0;
};

}  // namespace crossbind::run
