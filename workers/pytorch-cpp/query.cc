#include "query.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <optional>

#include "losses.h"
#include "recurrent.h"
#include "tensors.h"

namespace crossbind::worker {
namespace {

using torch::Tensor;

// cuDNN goes backward through recurrent layers in training mode alone.
class WithoutCudnn {
 public:
  WithoutCudnn() : was_enabled_(at::globalContext().userEnabledCuDNN()) {
    at::globalContext().setUserEnabledCuDNN(false);
  }
  WithoutCudnn(const WithoutCudnn&) = delete;
  WithoutCudnn& operator=(const WithoutCudnn&) = delete;
  ~WithoutCudnn() { at::globalContext().setUserEnabledCuDNN(was_enabled_); }

 private:
  bool was_enabled_;
};

// Nothing where the loss does not depend on an input.
std::vector<Tensor> gradients_of(const Tensor& loss,
                                 const std::vector<Tensor>& inputs,
                                 int64_t samples) {
  if (inputs.empty() || !loss.requires_grad()) {
    return std::vector<Tensor>(inputs.size());
  }
  // The loss is a mean: what it divides by cancels.
  return torch::autograd::grad({loss},
                               inputs,
                               {torch::full_like(loss, static_cast<double>(samples))},
                               /*retain_graph=*/std::nullopt,
                               /*create_graph=*/false,
                               /*allow_unused=*/true);
}

}  // namespace

Answer answer_with_gradients(const model::Model& model, TorchBatch& batch, const Forward& forward) {
  const torch::AutoGradMode with_gradients(true);
  std::optional<WithoutCudnn> without_cudnn;
  if (std::ranges::any_of(model.nodes, is_recurrent)) {
    without_cudnn.emplace();
  }
  std::vector<Tensor> inputs;
  std::vector<std::string> names;
  for (size_t i = 0; i < batch.inputs.size(); ++i) {
    if (!model.inputs[i].is_integer()) {
      inputs.push_back(batch.inputs[i].requires_grad_());
      names.push_back(model.inputs[i].name);
    }
  }
  const Tensor outputs = forward(batch);
  const Tensor loss = loss_of(model.loss, outputs, batch.targets);
  const std::vector<Tensor> gradients = gradients_of(loss, inputs, outputs.size(0));
  Answer answer{.outputs = to_float32(outputs), .gradients = {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    answer.gradients.emplace(
        names[i], to_float32(gradients[i].defined() ? gradients[i] : torch::zeros_like(inputs[i])));
  }
  return answer;
}

}  // namespace crossbind::worker
