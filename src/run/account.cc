#include "run/account.h"

#include <fmt/format.h>

namespace crossbind::run {
namespace {

using trial::Measure;

int64_t batches_of(int64_t samples, int64_t batch_size) {
  return (samples + batch_size - 1) / batch_size;
}

double seconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

bool is_share(const std::optional<double>& value) {
  return !value || (*value >= 0 && *value <= 1);
}

}  // namespace

void Account::add_series(const std::string& metric,
                         int epoch,
                         const std::vector<int64_t>& nanoseconds) {
  if (nanoseconds.empty()) {
    return;
  }
  store::Series series{metric, epoch, {}};
  series.values.reserve(nanoseconds.size());
  for (const int64_t value : nanoseconds) {
    series.values.push_back(seconds(value));
  }
  record_.series.push_back(std::move(series));
}

Status Account::add_parts(const protocol::Timings& timings,
                          const std::string& prefix,
                          int64_t steps) {
  if (job_.settings.measure == Measure::kTotal) {
    return {};
  }
  const auto is_complete = [&](const std::vector<int64_t>& times) {
    return static_cast<int64_t>(times.size()) == steps;
  };
  const bool is_training = timings.phase == protocol::Phase::kTrain;
  if (!is_complete(timings.load_ns) || !is_complete(timings.forward_ns) ||
      (is_training && !is_complete(timings.backward_ns))) {
    return fail(ErrorKind::kInvalid,
                "was to time the parts of {} steps, but timed {} loads, {} forwards, {} backwards",
                steps,
                timings.load_ns.size(),
                timings.forward_ns.size(),
                timings.backward_ns.size());
  }
  const int epoch = static_cast<int>(timings.epoch);
  add_series(prefix + ".load", epoch, timings.load_ns);
  add_series(prefix + ".forward", epoch, timings.forward_ns);
  add_series(prefix + ".backward", epoch, timings.backward_ns);
  return {};
}

Status Account::add_train(const protocol::Timings& timings) {
  if (timings.epoch != epochs_timed_ + 1) {
    return fail(ErrorKind::kInvalid, "timed epoch {} after epoch {}", timings.epoch, epochs_timed_);
  }
  ++epochs_timed_;
  add_series("train.epoch", static_cast<int>(timings.epoch), {*timings.total_ns});
  return add_parts(timings, "train", batches_of(job_.data.train_samples, job_.settings.batch_size));
}

Status Account::add_warmup(const protocol::Timings& timings) {
  if (has_warmed_up_) {
    return fail(ErrorKind::kInvalid, "timed its warm-up twice");
  }
  has_warmed_up_ = true;
  add_series("warmup.step", 0, timings.steps_ns);
  return {};
}

Status Account::add(const protocol::Timings& timings) {
  const bool is_training = job_.task == trial::Task::kTrain;
  if (timings.phase == (is_training ? protocol::Phase::kInfer : protocol::Phase::kTrain)) {
    return fail(ErrorKind::kInvalid,
                "timed {} when it was to {}",
                is_training ? "an inference" : "a training",
                is_training ? "train" : "infer");
  }
  switch (timings.phase) {
    case protocol::Phase::kWarmup:
      return add_warmup(timings);
    case protocol::Phase::kTrain:
      return add_train(timings);
    case protocol::Phase::kInfer:
      ++inferences_timed_;
      add_series("infer.total", 0, {*timings.total_ns});
      return add_parts(
          timings, "infer", batches_of(job_.data.test_samples, job_.settings.batch_size));
  }
  return {};
}

Status Account::add(const protocol::Epoch& epoch) {
  const auto expected = static_cast<int64_t>(record_.curve.size()) + 1;
  if (epoch.epoch != expected) {
    return fail(ErrorKind::kInvalid, "reported epoch {} as number {}", epoch.epoch, expected);
  }
  if (job_.task != trial::Task::kTrain) {
    return fail(ErrorKind::kInvalid, "reported an epoch when it was to infer");
  }
  if (!is_share(epoch.train_accuracy) || !is_share(epoch.test_accuracy)) {
    return fail(ErrorKind::kInvalid, "reported an accuracy outside of 0 to 1");
  }
  has_scored_ = epoch.test_accuracy.has_value();
  const bool keeps = !job_.times_only;
  record_.curve.push_back({static_cast<int>(epoch.epoch),
                           epoch.loss,
                           keeps ? epoch.train_accuracy : std::nullopt,
                           keeps ? epoch.test_accuracy : std::nullopt});
  return {};
}

Status Account::finish_training(const protocol::Done& done) const {
  const int64_t epochs = job_.settings.epochs;
  if (static_cast<int64_t>(record_.curve.size()) != epochs || epochs_timed_ != epochs) {
    return fail(ErrorKind::kInvalid,
                "ended with {} of {} epochs reported and {} timed",
                record_.curve.size(),
                epochs,
                epochs_timed_);
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

Status Account::finish_inference(const protocol::Done& done) {
  if (inferences_timed_ != 1) {
    return fail(ErrorKind::kInvalid, "reported {} timings, expected 1", inferences_timed_);
  }
  if (done.samples != job_.data.test_samples) {
    return fail(ErrorKind::kInvalid,
                "answered {} samples, expected {}",
                done.samples ? std::to_string(*done.samples) : "an unknown number of",
                job_.data.test_samples);
  }
  if (!done.accuracy || !is_share(done.accuracy)) {
    return fail(ErrorKind::kInvalid, "reported no accuracy from 0 to 1");
  }
  if (!job_.times_only) {
    record_.series.push_back({"infer.accuracy", 0, {*done.accuracy}});
  }
  return {};
}

Status Account::finish(const protocol::Done& done) {
  return job_.task == trial::Task::kTrain ? finish_training(done) : finish_inference(done);
}

}  // namespace crossbind::run
