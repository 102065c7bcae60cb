// What a training leaves behind: the saved parameters.
#include "checkup/training.h"

namespace crossbind::checkup {
namespace {

Result<trial::Settings> deterministic(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_TRY(examination.need_saving());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  if (exercise->settings().device != "cpu") {
    return skip("only on the processor, with one thread, is a training repeated bit by bit");
  }
  return exercise->settings();
}

Status saves_the_parameters(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_TRY(trained_hash(examination, exercise->settings()));
  return {};
}

Status trains_to_the_same_parameters_again(Examination& examination) {
  CB_ASSIGN(const auto settings, deterministic(examination));
  CB_ASSIGN(const auto once, trained_hash(examination, settings));
  CB_ASSIGN(const auto again, trained_hash(examination, settings));
  if (once != again) {
    return wrong("the same training from the same weights, with one thread, gave other parameters");
  }
  return {};
}

Status starts_a_second_training_from_what_was_prepared(Examination& examination) {
  CB_ASSIGN(const auto settings, deterministic(examination));
  CB_ASSIGN(const auto training, train(examination, settings));
  CB_ASSIGN(auto* worker, examination.worker());
  CB_ASSIGN(const Answer answer, worker->ask(protocol::Train{}));
  CB_TRY(expect_done(answer));
  const auto epochs = answer.all<protocol::Epoch>();
  if (epochs.empty() || epochs[0].loss != training.epochs[0].loss) {
    return wrong("expected the loss {:.6f} in epoch 1 of a second train, came {:.6f}",
                 training.epochs[0].loss,
                 epochs.empty() ? 0.0 : epochs[0].loss);
  }
  return {};
}

Status forgets_its_warm_up(Examination& examination) {
  CB_ASSIGN(auto settings, deterministic(examination));
  CB_ASSIGN(const auto cold, trained_hash(examination, settings));
  settings.warmup_steps = 2;
  CB_ASSIGN(const auto warm, trained_hash(examination, settings));
  if (cold != warm) {
    return wrong(
        "warmup_steps = 2 gave other parameters than warmup_steps = 0: parameters, "
        "statistics, optimizer state or generators are not as prepared after the warm-up");
  }
  return {};
}

Status says_that_it_cannot_write(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_TRY(examination.need_saving());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  CB_ASSIGN(const Answer answer,
            worker->ask(protocol::Train{.save = exercise->file("weights.safetensors") /
                                                "in-a-file.safetensors"}));
  CB_TRY(expect_failure(answer, protocol::FailureCode::kInternal));
  return examination.is_alive();
}

}  // namespace

std::vector<Check> parameter_checks() {
  return {
      {"train", "saves the trained parameters", "train", saves_the_parameters},
      {"train",
       "trains to the same parameters again",
       "train",
       trains_to_the_same_parameters_again},
      {"train",
       "starts a second training from what was prepared",
       "train",
       starts_a_second_training_from_what_was_prepared},
      {"train", "forgets its warm-up", "train", forgets_its_warm_up},
      {"train", "says that it cannot write a file", "Replies", says_that_it_cannot_write},
  };
}

}  // namespace crossbind::checkup
