#include "losses.h"

namespace crossbind::worker {
namespace {

using torch::Tensor;

Tensor is_correct(model::Loss loss, const Tensor& outputs, const std::vector<Tensor>& targets) {
  if (loss == model::Loss::kBinaryCrossEntropy) {
    return outputs.select(1, 0).gt(0).eq(targets[0].to(torch::kBool));
  }
  if (loss == model::Loss::kSpanCrossEntropy) {
    const Tensor guesses = outputs.argmax(1);  // [n, length, 2] -> [n, 2]
    return guesses.select(1, 0).eq(targets[0]).logical_and(guesses.select(1, 1).eq(targets[1]));
  }
  return outputs.argmax(1).eq(targets[0]);
}

}  // namespace

Tensor loss_of(model::Loss loss, const Tensor& outputs, const std::vector<Tensor>& targets) {
  if (loss == model::Loss::kBinaryCrossEntropy) {
    return torch::binary_cross_entropy_with_logits(outputs.select(1, 0),
                                                   targets[0].to(outputs.dtype()));
  }
  if (loss == model::Loss::kSpanCrossEntropy) {
    return (torch::cross_entropy_loss(outputs.select(2, 0), targets[0]) +
            torch::cross_entropy_loss(outputs.select(2, 1), targets[1])) /
           2;
  }
  return torch::cross_entropy_loss(outputs, targets[0]);
}

int64_t count_correct(model::Loss loss, const Tensor& outputs, const std::vector<Tensor>& targets) {
  return is_correct(loss, outputs, targets).sum().item<int64_t>();
}

}  // namespace crossbind::worker
