// Trainings that do not come to their end.
#include <limits>

#include "checkup/examination.h"
#include "tensor/safetensors.h"

namespace crossbind::checkup {
namespace {

using protocol::FailureCode;

// The training has more events than a socket holds and waits for their reader: a worker that looks
// for the cancel cannot have finished first.
Status gives_up_when_cancelled(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared(exercise->prepare_long()));
  CB_TRY(worker->begin(protocol::Train{.evidence = 1}));
  CB_ASSIGN(const auto first, worker->next());
  if (!is_reply(first)) {
    CB_TRY(worker->cancel());
    CB_ASSIGN(const Answer answer, worker->finish());
    CB_TRY(expect_failure(answer, FailureCode::kCancelled));
  }
  return examination.is_alive();
}

Status says_that_a_loss_is_not_finite(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  tensor::TensorMap weights;
  for (const auto& parameter : exercise->model().parameters) {
    weights.emplace(
        parameter.name,
        tensor::Tensor(parameter.shape,
                       std::vector<float>(static_cast<size_t>(referee::count_of(parameter.shape)),
                                          std::numeric_limits<float>::quiet_NaN())));
  }
  protocol::Prepare prepare = exercise->prepare();
  prepare.weights = exercise->file("nan.safetensors");
  CB_TRY(tensor::save_safetensors(*prepare.weights, weights, {}));
  CB_ASSIGN(auto* worker, examination.prepared(prepare));
  CB_ASSIGN(const Answer answer, worker->ask(protocol::Train{}));
  CB_TRY(expect_failure(answer, FailureCode::kNotFinite));
  return examination.is_alive();
}

}  // namespace

std::vector<Check> interruption_checks() {
  return {
      {"train", "gives up when cancelled", "cancel, bye", gives_up_when_cancelled},
      {"train", "says that a loss is not finite", "Replies", says_that_a_loss_is_not_finite},
  };
}

}  // namespace crossbind::checkup
