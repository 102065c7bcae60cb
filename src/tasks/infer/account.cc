#include "tasks/infer/account.h"

#include <fmt/format.h>

#include <utility>

#include "tasks/accounting.h"

namespace crossbind::tasks {

Status InferenceAccount::add_warmup(const protocol::Timings& timings) {
  if (std::exchange(has_warmed_up_, true)) {
    return fail(ErrorKind::kInvalid, "timed its warm-up twice");
  }
  inferred_.warmup = seconds(timings.steps_ns);
  return {};
}

Status InferenceAccount::add_pass(const protocol::Timings& timings) {
  const int64_t steps = batches_of(job_.data.test_samples, job_.settings.batch_size);
  CB_ASSIGN(inferred_.parts, parts_of(timings, job_.settings.measure, steps));
  inferred_.test.seconds.push_back(seconds(*timings.total_ns));
  return {};
}

Status InferenceAccount::add(const protocol::Timings& timings) {
  switch (timings.phase) {
    case protocol::Phase::kWarmup:
      return add_warmup(timings);
    case protocol::Phase::kInfer:
      return add_pass(timings);
    case protocol::Phase::kTrain:
      break;
  }
  return fail(ErrorKind::kInvalid, "timed a training when it was to infer");
}

Status InferenceAccount::add(const protocol::Epoch& /*epoch*/) {
  return fail(ErrorKind::kInvalid, "reported an epoch when it was to infer");
}

Result<Inferred> InferenceAccount::finish(const protocol::Done& done) && {
  if (inferred_.test.seconds.size() != 1) {
    return fail(
        ErrorKind::kInvalid, "reported {} timings, expected 1", inferred_.test.seconds.size());
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
    inferred_.test.accuracy = {*done.accuracy};
  }
  return std::move(inferred_);
}

}  // namespace crossbind::tasks
