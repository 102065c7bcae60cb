#include "losses.h"

#include "tensors.h"

namespace crossbind::worker {

using torch::Tensor;

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

Score score(model::Loss loss, const Tensor& outputs, const std::vector<Tensor>& targets) {
  std::vector<Tensor> hosted;
  std::vector<tensor::TensorView> views;
  for (const Tensor& target : targets) {
    hosted.push_back(on_host(target));
    views.push_back(view_of(hosted.back()));
  }
  const Tensor answered = on_host(outputs);
  return score(loss, view_of(answered), views);
}

}  // namespace crossbind::worker
