// A model's graph as a torch module: every layer is libtorch's own.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <functional>
#include <vector>

#include "model/model.h"
#include "tensors.h"

namespace crossbind::worker {

class GraphModuleImpl : public torch::nn::Module {
 public:
  // The model must outlive the module.
  explicit GraphModuleImpl(const model::Model& model);

  // Inputs in the order of the model's, batch first.
  torch::Tensor forward(const std::vector<torch::Tensor>& inputs);
  // The same, every layer's output.
  std::vector<torch::Tensor> forward_all(const std::vector<torch::Tensor>& inputs);

  // In the order of the model's parameters.
  [[nodiscard]] const std::vector<NamedTensor>& tensors() const { return tensors_; }

 private:
  using Layer = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;
  friend struct LayerBuilder;

  const model::Model& model_;
  std::vector<Layer> layers_;
  std::vector<NamedTensor> tensors_;
};
TORCH_MODULE(GraphModule);

}  // namespace crossbind::worker
