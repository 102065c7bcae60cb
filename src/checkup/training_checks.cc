// What a training reports.
#include <cmath>

#include "checkup/training.h"
#include "converse/batch_evidence.h"

namespace crossbind::checkup {
namespace {

using trial::TrainingAccuracy;

// Float32 against float64 over the 7 small steps of the first epoch: rounding makes a relative
// difference of about 1e-6 in the loss; a wrong update, order or reduction makes one of 1e-2 and
// more. This only finds what is grossly wrong; 'conform' judges.
constexpr double kLossTolerance = 1e-3;
// A sample whose two largest outputs are equal but for rounding may fall either way.
constexpr double kAccuracyTolerance = 1.0 + 1e-6;

Result<trial::Settings> plain(Examination& examination) {
  CB_ASSIGN(const auto* exercise, examination.exercise());
  return exercise->settings();
}

template <typename T>
bool claims(const std::vector<T>& claimed, T value) {
  return std::ranges::find(claimed, value) != claimed.end();
}

Status reports_every_epoch_in_order(Examination& examination) {
  CB_ASSIGN(const auto settings, plain(examination));
  CB_TRY(train(examination, settings));
  return {};
}

Status comes_to_the_loss_of_the_referee(Examination& examination) {
  CB_ASSIGN(const auto settings, plain(examination));
  CB_ASSIGN(const auto training, train(examination, settings));
  CB_ASSIGN(const auto* expected, examination.expectation());
  const double loss = training.epochs[0].loss;
  const double referee = expected->epochs[0].loss;
  if (!(std::abs(loss - referee) <= kLossTolerance * std::abs(referee))) {
    return wrong(
        "expected the loss {:.6f} in epoch 1 (the mean over its samples; to {:g} of it), "
        "came {:.6f}",
        referee,
        kLossTolerance,
        loss);
  }
  return {};
}

Status gives_the_loss_of_the_test_set(Examination& examination) {
  CB_ASSIGN(const auto settings, plain(examination));
  CB_ASSIGN(const auto training, train(examination, settings));
  CB_ASSIGN(const auto* expected, examination.expectation());
  const auto came = training.epochs[0].test_loss;
  const double referee = expected->epochs[0].test_loss;
  if (!came) {
    return wrong("expected the test loss {:.6f} in epoch 1, came none", referee);
  }
  if (!(std::abs(*came - referee) <= kLossTolerance * std::abs(referee))) {
    return wrong(
        "expected the test loss {:.6f} in epoch 1 (in evaluation mode, the mean over the test "
        "samples; to {:g} of it), came {:.6f}",
        referee,
        kLossTolerance,
        *came);
  }
  return {};
}

Status near(const char* what, std::optional<double> came, double expected, int64_t samples) {
  if (!came) {
    return wrong("expected {} {:.4f}, came none", what, expected);
  }
  if (!(std::abs(*came - expected) * static_cast<double>(samples) <= kAccuracyTolerance)) {
    return wrong(
        "expected {} {:.4f} (one sample more or less), came {:.4f}", what, expected, *came);
  }
  return {};
}

Status scores_the_test_set_after_every_epoch(Examination& examination) {
  CB_ASSIGN(const auto settings, plain(examination));
  CB_ASSIGN(const auto training, train(examination, settings));
  CB_ASSIGN(const auto* expected, examination.expectation());
  for (size_t epoch = 0; epoch < training.epochs.size(); ++epoch) {
    CB_TRY(near("the test accuracy",
                training.epochs[epoch].test_accuracy,
                expected->epochs[epoch].test_accuracy,
                kTestSamples));
  }
  return {};
}

Status scores_the_test_set_only_at_the_end(Examination& examination) {
  CB_ASSIGN(auto settings, plain(examination));
  settings.evaluate = trial::Evaluate::kLast;
  CB_ASSIGN(const auto training, train(examination, settings));
  if (training.epochs.front().test_accuracy || training.epochs.front().test_loss) {
    return wrong("with evaluate = last, expected no test accuracy and no test loss in epoch 1");
  }
  if (!training.epochs.back().test_accuracy) {
    return wrong("with evaluate = last, expected a test accuracy in the last epoch, came none");
  }
  return {};
}

Status training_accuracy(Examination& examination, TrainingAccuracy kind) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(auto settings, plain(examination));
  if (!claims(examination.able().training_accuracies, kind)) {
    return skip("it does not claim the training accuracy '{}'",
                name_in(trial::kTrainingAccuracies, kind));
  }
  settings.training_accuracy = kind;
  CB_ASSIGN(const auto training, train(examination, settings));
  CB_ASSIGN(const auto* expected, examination.expectation());
  for (size_t i = 0; i < training.epochs.size(); ++i) {
    const auto& epoch = expected->epochs[i];
    CB_TRY(near("the training accuracy",
                training.epochs[i].train_accuracy,
                kind == TrainingAccuracy::kEval ? epoch.training_accuracy : epoch.running_accuracy,
                kTrainSamples));
  }
  return {};
}

Status gives_the_running_accuracy(Examination& examination) {
  return training_accuracy(examination, TrainingAccuracy::kRunning);
}

Status gives_the_accuracy_in_evaluation_mode(Examination& examination) {
  return training_accuracy(examination, TrainingAccuracy::kEval);
}

Status times_each_part_of_each_step(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(auto settings, plain(examination));
  if (!claims(examination.able().measures, trial::Measure::kParts)) {
    return skip("it does not claim the measure 'parts'");
  }
  settings.measure = trial::Measure::kParts;
  CB_ASSIGN(const auto training, train(examination, settings));
  for (const auto& timings : training.timings) {
    for (const auto& [part, times] : {std::pair{"load_ns", &timings.load_ns},
                                      std::pair{"forward_ns", &timings.forward_ns},
                                      std::pair{"backward_ns", &timings.backward_ns}}) {
      if (times->size() != static_cast<size_t>(kSteps)) {
        return wrong("expected {} numbers in '{}' of epoch {}, came {}",
                     kSteps,
                     part,
                     timings.epoch,
                     times->size());
      }
    }
  }
  return {};
}

Status times_the_steps_of_its_warm_up(Examination& examination) {
  CB_ASSIGN(auto settings, plain(examination));
  // More than there are batches means all of them.
  for (const auto& [asked, expected] : {std::pair<int64_t, int64_t>{0, 0},
                                        std::pair<int64_t, int64_t>{2, 2},
                                        std::pair<int64_t, int64_t>{100, kSteps}}) {
    settings.warmup_steps = asked;
    CB_ASSIGN(const auto training, train(examination, settings));
    const size_t events = asked == 0 ? 0 : 1;
    if (training.warmups.size() != events) {
      return wrong("with warmup_steps = {}, expected {} timings of a warm-up, came {}",
                   asked,
                   events,
                   training.warmups.size());
    }
    if (events > 0 && training.warmups[0].steps_ns.size() != static_cast<size_t>(expected)) {
      return wrong("with warmup_steps = {}, expected {} numbers in 'steps_ns', came {}",
                   asked,
                   expected,
                   training.warmups[0].steps_ns.size());
    }
  }
  return {};
}

Status shows_the_batches_of_the_order(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  auto settings = exercise->settings();
  for (const auto loader : examination.able().loaders) {
    settings.loader = loader;
    CB_ASSIGN(const auto training, train(examination, settings, {.evidence = -1}));
    const auto expected = static_cast<size_t>(kEpochs * kSteps);
    if (training.batches.size() != expected) {
      return wrong("with evidence = -1 and the loader '{}', expected {} batches, came {}",
                   name_in(trial::kLoaders, loader),
                   expected,
                   training.batches.size());
    }
    for (size_t i = 0; i < expected; ++i) {
      const auto& batch = training.batches[i];
      if (batch.batch != static_cast<int64_t>(i) % kSteps) {
        return wrong("expected batch {}, came batch {}", i % kSteps, batch.batch);
      }
      CB_ASSIGN(
          const auto right,
          converse::expected_batch(
              exercise->data(), exercise->model(), exercise->order()[i / kSteps][i % kSteps]));
      if (const auto different = converse::difference(batch, right)) {
        return wrong("batch {} of epoch {}: {}", batch.batch, batch.epoch, different->text);
      }
    }
  }
  return {};
}

Status shows_no_more_batches_than_asked_for(Examination& examination) {
  CB_ASSIGN(const auto settings, plain(examination));
  for (const int64_t asked : {0, 2}) {
    CB_ASSIGN(const auto training, train(examination, settings, {.evidence = asked}));
    if (training.batches.size() != static_cast<size_t>(asked * kEpochs)) {
      return wrong("with evidence = {}, expected {} batches, came {}",
                   asked,
                   asked * kEpochs,
                   training.batches.size());
    }
  }
  return {};
}

}  // namespace

std::vector<Check> training_checks() {
  return {
      {"train",
       "reports every epoch in order, with all its steps",
       "train",
       reports_every_epoch_in_order,
       Stops::kGroup},
      {"train",
       "comes to the loss of the referee in the first epoch",
       "Events",
       comes_to_the_loss_of_the_referee},
      {"train",
       "scores the test set after every epoch",
       "Settings",
       scores_the_test_set_after_every_epoch},
      {"train", "gives the loss of the test set", "Events", gives_the_loss_of_the_test_set},
      {"train",
       "scores the test set only at the end when told so",
       "Settings",
       scores_the_test_set_only_at_the_end},
      {"train", "gives the running training accuracy", "Settings", gives_the_running_accuracy},
      {"train",
       "gives the training accuracy in evaluation mode",
       "Settings",
       gives_the_accuracy_in_evaluation_mode},
      {"train", "times each part of each step", "train", times_each_part_of_each_step},
      {"train", "times the steps of its warm-up", "train", times_the_steps_of_its_warm_up},
      {"train", "shows the batches of the order", "Events", shows_the_batches_of_the_order},
      {"train",
       "shows no more batches than asked for",
       "train",
       shows_no_more_batches_than_asked_for},
  };
}

}  // namespace crossbind::checkup
