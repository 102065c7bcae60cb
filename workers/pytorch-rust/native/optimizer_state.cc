// Puts moments into optimizers of libtorch. tch makes, holds and steps them, but has no way to
// their state, and a probed step starts from moments that are given. The tensors are shared, and
// libtorch updates them in place: whoever gave them reads from them what became of them.
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>
#include <torch/version.h>

#include <memory>
#include <utility>

namespace {

using torch::Tensor;
using torch::optim::Optimizer;

template <class State>
void set_adam_state(Optimizer& optimizer,
                    const Tensor& parameter,
                    const Tensor& m,
                    const Tensor& v,
                    int64_t steps) {
  auto state = std::make_unique<State>();
  state->step(steps);
  state->exp_avg(m);
  state->exp_avg_sq(v);
  optimizer.state()[parameter.unsafeGetTensorImpl()] = std::move(state);
}

}  // namespace

extern "C" {

void crossbind_set_sgd_state(Optimizer* optimizer,
                             const Tensor* parameter,
                             const Tensor* m) noexcept {
  auto state = std::make_unique<torch::optim::SGDParamState>();
  state->momentum_buffer(*m);
  optimizer->state()[parameter->unsafeGetTensorImpl()] = std::move(state);
}

// As after that many steps, of Adam or AdamW.
void crossbind_set_adam_state(Optimizer* optimizer,
                              const Tensor* parameter,
                              const Tensor* m,
                              const Tensor* v,
                              int64_t steps) noexcept {
  if (dynamic_cast<torch::optim::AdamW*>(optimizer) != nullptr) {
    set_adam_state<torch::optim::AdamWParamState>(*optimizer, *parameter, *m, *v, steps);
  } else {
    set_adam_state<torch::optim::AdamParamState>(*optimizer, *parameter, *m, *v, steps);
  }
}

const char* crossbind_torch_version() noexcept {
  return TORCH_VERSION;
}
}
