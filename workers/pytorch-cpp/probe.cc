#include "probe.h"

#include <torch/nn/modules/dropout.h>

#include "losses.h"
#include "optimizers.h"
#include "tensors.h"

namespace crossbind::worker {
namespace {

using torch::Tensor;

void set_mode(GraphModule& module, const ProbeStep& step) {
  module->train(step.is_training);
  for (const auto& each : module->modules()) {
    if (each->as<torch::nn::Dropout>() != nullptr) {
      each->train(step.has_dropout);
    }
  }
}

// Gradients, moments and, in the module, parameters after the step.
Status take_step(const model::Model& model,
                 const std::vector<NamedTensor>& tensors,
                 const Tensor& loss,
                 const ProbeStep& step,
                 Shelf& shelf) {
  CB_ASSIGN(const auto optimizer, make_optimizer(model, tensors));
  set_moments(*optimizer, model, tensors, *step.state, step.number);
  optimizer->zero_grad();
  loss.backward();
  optimizer->step();
  for (const NamedTensor& named : tensors) {
    if (named.tensor.grad().defined()) {
      shelf.emplace(named.name + ".grad", named.tensor.grad());
    }
  }
  shelf.merge(moments_of(*optimizer, model, tensors));
  return {};
}

}  // namespace

tensor::TensorMap wanted_of(const Shelf& shelf, const std::vector<std::string>& wanted) {
  tensor::TensorMap found;
  for (const std::string& name : wanted) {
    if (const auto place = shelf.find(name); place != shelf.end()) {
      found.insert_or_assign(name, to_float32(place->second));
    }
  }
  return found;
}

Result<Probed> probe_step(const model::Model& model,
                          GraphModule& module,
                          const TorchBatch& batch,
                          const ProbeStep& step) {
  set_mode(module, step);
  const torch::AutoGradMode with_gradients(step.is_training);
  const std::vector<Tensor> outputs = module->forward_all(batch.inputs);
  Shelf shelf;
  for (size_t i = 0; i < outputs.size(); ++i) {
    shelf.emplace(model.nodes[i].name + ".out", outputs[i]);
  }
  Probed probed;
  if (!batch.targets.empty()) {
    const Tensor loss = loss_of(model.loss, outputs.back(), batch.targets);
    probed.loss = loss.item<double>();
    if (step.is_training) {
      CB_TRY(take_step(model, module->tensors(), loss, step, shelf));
    }
  }
  for (const NamedTensor& named : module->tensors()) {
    shelf.emplace(named.name, named.tensor);
  }
  probed.tensors = wanted_of(shelf, step.wanted);
  module->eval();  // whoever trains next sets all of it to training, dropout too
  return probed;
}

}  // namespace crossbind::worker
