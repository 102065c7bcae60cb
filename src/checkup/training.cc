#include "checkup/training.h"

#include "converse/parameters_file.h"

namespace crossbind::checkup {
namespace {

// Which epoch's events may come now.
class EventOrder {
 public:
  Status take(const protocol::Timings& timings, Training& training) {
    if (timings.phase == protocol::Phase::kWarmup) {
      if (!training.timings.empty() || !training.batches.empty()) {
        return wrong("the timings of the warm-up came after the first epoch had begun");
      }
      training.warmups.push_back(timings);
      return {};
    }
    if (timings.phase != protocol::Phase::kTrain || timings.epoch != epoch_ || has_timings_) {
      return wrong("expected the {} of epoch {}, came the timings of phase '{}', epoch {}",
                   has_timings_ ? "event 'epoch'" : "timings",
                   epoch_,
                   name_in(protocol::kPhases, timings.phase),
                   timings.epoch);
    }
    if (!timings.total_ns) {
      return wrong("the timings of epoch {} lack 'total_ns'", epoch_);
    }
    has_timings_ = true;
    training.timings.push_back(timings);
    return {};
  }

  Status take(const protocol::Epoch& epoch, Training& training) {
    if (epoch.epoch != epoch_ || !has_timings_) {
      return wrong("expected the {} of epoch {}, came the event 'epoch' of epoch {}",
                   has_timings_ ? "event 'epoch'" : "timings",
                   epoch_,
                   epoch.epoch);
    }
    training.epochs.push_back(epoch);
    has_timings_ = false;
    ++epoch_;
    return {};
  }

  Status take(const protocol::Batch& batch, Training& training) const {
    if (batch.epoch != epoch_) {
      return wrong("expected batches of epoch {}, came one of epoch {}", epoch_, batch.epoch);
    }
    training.batches.push_back(batch);
    return {};
  }

  Status take(const protocol::Progress& progress, const Training&) const {
    if (progress.epoch != epoch_ || progress.steps != kSteps || progress.step > kSteps) {
      return wrong("expected progress in epoch {} of {} steps, came epoch {}, step {} of {}",
                   epoch_,
                   kSteps,
                   progress.epoch,
                   progress.step,
                   progress.steps);
    }
    return {};
  }

  template <typename Other>
  Status take(const Other&, const Training&) const {
    return wrong("sent a message that has no place in a training");
  }

 private:
  int64_t epoch_ = 1;
  bool has_timings_ = false;
};

}  // namespace

Result<Training> train(Examination& examination,
                       const trial::Settings& settings,
                       const protocol::Train& request) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared(exercise->prepare(settings)));
  CB_ASSIGN(const Answer answer, worker->ask(request));
  CB_ASSIGN(const auto done, expect_done(answer));
  Training training;
  EventOrder order;
  for (const auto& event : answer.events) {
    CB_TRY(std::visit([&](const auto& message) { return order.take(message, training); }, event));
  }
  if (training.epochs.size() != static_cast<size_t>(settings.epochs)) {
    return wrong("expected {} epochs, came {}", settings.epochs, training.epochs.size());
  }
  if (done.steps == settings.epochs * (kTrainSamples / kBatch)) {
    return wrong(
        "dropped the last batch of each epoch, which is shorter: expected {} steps, came {}",
        settings.epochs * kSteps,
        *done.steps);
  }
  if (done.steps != settings.epochs * kSteps) {
    return wrong(
        "expected {} steps ({} epochs of {} samples in batches of {}, the last one shorter and not "
        "dropped), came {}",
        settings.epochs * kSteps,
        settings.epochs,
        kTrainSamples,
        kBatch,
        done.steps ? std::to_string(*done.steps) : "none");
  }
  return training;
}

Result<std::string> trained_hash(Examination& examination, const trial::Settings& settings) {
  CB_TRY(examination.need_saving());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  const auto path = exercise->file("trained.safetensors");
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  CB_TRY(train(examination, settings, protocol::Train{.save = path}));
  auto hash = converse::hash_parameters(path, exercise->model());
  if (!hash) {
    return wrong("what it saved: {}", hash.error().to_string());
  }
  return hash;
}

}  // namespace crossbind::checkup
