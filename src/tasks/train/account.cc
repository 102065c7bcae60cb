#include "tasks/train/account.h"

#include <fmt/format.h>

#include <utility>

#include "tasks/accounting.h"

namespace crossbind::tasks {

Status TrainingAccount::add_warmup(const protocol::Timings& timings) {
  if (std::exchange(has_warmed_up_, true)) {
    return fail(ErrorKind::kInvalid, "timed its warm-up twice");
  }
  trained_.warmup = seconds(timings.steps_ns);
  return {};
}

Status TrainingAccount::add_epoch(const protocol::Timings& timings) {
  const auto timed = static_cast<int64_t>(trained_.epochs.size());
  if (timings.epoch != timed + 1) {
    return fail(ErrorKind::kInvalid, "timed epoch {} after epoch {}", timings.epoch, timed);
  }
  const int64_t steps = batches_of(job_.data.train_samples, job_.settings.batch_size);
  CB_ASSIGN(auto parts, parts_of(timings, job_.settings.measure, steps));
  trained_.epochs.push_back(
      {static_cast<int>(timings.epoch), seconds(*timings.total_ns), std::move(parts)});
  return {};
}

Status TrainingAccount::add(const protocol::Timings& timings) {
  switch (timings.phase) {
    case protocol::Phase::kWarmup:
      return add_warmup(timings);
    case protocol::Phase::kTrain:
      return add_epoch(timings);
    case protocol::Phase::kInfer:
      break;
  }
  return fail(ErrorKind::kInvalid, "timed an inference when it was to train");
}

Status TrainingAccount::add(const protocol::Epoch& epoch) {
  const auto expected = static_cast<int64_t>(trained_.curve.size()) + 1;
  if (epoch.epoch != expected) {
    return fail(ErrorKind::kInvalid, "reported epoch {} as number {}", epoch.epoch, expected);
  }
  if (!is_share(epoch.train_accuracy) || !is_share(epoch.test_accuracy)) {
    return fail(ErrorKind::kInvalid, "reported an accuracy outside of 0 to 1");
  }
  has_scored_ = epoch.test_accuracy.has_value();
  const bool keeps = !job_.times_only;
  trained_.curve.push_back({static_cast<int>(epoch.epoch),
                            epoch.loss,
                            keeps ? epoch.train_accuracy : std::nullopt,
                            keeps ? epoch.test_accuracy : std::nullopt});
  if (keeps && epoch.test_loss) {
    trained_.test_loss.emplace(static_cast<int>(epoch.epoch), *epoch.test_loss);
  }
  return {};
}

Status TrainingAccount::check(const protocol::Done& done) const {
  const int64_t epochs = job_.settings.epochs;
  if (static_cast<int64_t>(trained_.curve.size()) != epochs ||
      static_cast<int64_t>(trained_.epochs.size()) != epochs) {
    return fail(ErrorKind::kInvalid,
                "ended with {} of {} epochs reported and {} timed",
                trained_.curve.size(),
                epochs,
                trained_.epochs.size());
  }
  const int64_t steps = epochs * batches_of(job_.data.train_samples, job_.settings.batch_size);
  if (done.steps != steps) {
    return fail(ErrorKind::kInvalid,
                "did {} steps, expected {}",
                done.steps ? std::to_string(*done.steps) : "an unknown number of",
                steps);
  }
  if (!has_scored_) {
    return fail(ErrorKind::kInvalid, "did not score the test set after the last epoch");
  }
  return {};
}

Result<Trained> TrainingAccount::finish(const protocol::Done& done) && {
  CB_TRY(check(done));
  return std::move(trained_);
}

}  // namespace crossbind::tasks
