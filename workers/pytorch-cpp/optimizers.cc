#include "optimizers.h"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

namespace crossbind::worker {
namespace {

namespace optim = torch::optim;
using torch::Tensor;

bool is_decoupled(const model::WeightDecay& decay) {
  return decay.value != 0 && decay.form == model::DecayForm::kDecoupled;
}

// One group that decays, and one that does not, where biases and norms are spared.
template <typename Options>
std::vector<optim::OptimizerParamGroup> groups_of(const std::vector<NamedTensor>& tensors,
                                                  const model::WeightDecay& decay,
                                                  Options options) {
  std::vector<Tensor> decayed;
  std::vector<Tensor> spared;
  for (const NamedTensor& named : tensors) {
    const bool decays =
        decay.applies_to == model::DecayApplies::kAll || named.role == model::Role::kWeight;
    if (model::is_trainable(named.role)) {
      (decays ? decayed : spared).push_back(named.tensor);
    }
  }
  std::vector<optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::move(decayed), std::make_unique<Options>(options));
  if (!spared.empty()) {
    options.weight_decay(0);
    groups.emplace_back(std::move(spared), std::make_unique<Options>(options));
  }
  return groups;
}

template <typename Optimizer, typename Options>
std::unique_ptr<optim::Optimizer> adam_of(const model::Adam& adam,
                                          const std::vector<NamedTensor>& tensors) {
  const auto options = Options(adam.rate)
                           .betas({adam.beta1, adam.beta2})
                           .eps(adam.epsilon)
                           .weight_decay(adam.weight_decay.value);
  return std::make_unique<Optimizer>(groups_of(tensors, adam.weight_decay, options), options);
}

// The trained tensors, with their place in the optimizer's state.
template <typename Visit>
void for_each_trained(const std::vector<NamedTensor>& tensors, Visit visit) {
  for (const NamedTensor& named : tensors) {
    if (model::is_trainable(named.role)) {
      visit(named, static_cast<void*>(named.tensor.unsafeGetTensorImpl()));
    }
  }
}

// Calls `visit` with the type that torch keeps a parameter's moments in; SGD without momentum has
// none.
template <typename Visit>
void with_state_type(const model::Model& model, Visit visit) {
  if (const auto* sgd = std::get_if<model::Sgd>(&model.optimizer)) {
    if (sgd->momentum != 0) {
      visit(std::type_identity<optim::SGDParamState>());
    }
  } else if (is_decoupled(std::get<model::Adam>(model.optimizer).weight_decay)) {
    visit(std::type_identity<optim::AdamWParamState>());
  } else {
    visit(std::type_identity<optim::AdamParamState>());
  }
}

Tensor moment(const tensor::SafetensorsFile& state, const std::string& name, const Tensor& like) {
  const auto view = state.find(name);
  return view ? borrow(*view).to(like.device(), /*non_blocking=*/false, /*copy=*/true)
              : torch::zeros_like(like);
}

}  // namespace

Result<std::unique_ptr<optim::Optimizer>> make_optimizer(const model::Model& model,
                                                         const std::vector<NamedTensor>& tensors) {
  if (const auto* sgd = std::get_if<model::Sgd>(&model.optimizer)) {
    if (is_decoupled(sgd->weight_decay)) {
      // 'lacks' cannot say it, for Adam has it.
      return fail(ErrorKind::kUnsupported, "weight_decay.form=decoupled");
    }
    const auto options =
        optim::SGDOptions(sgd->rate).momentum(sgd->momentum).weight_decay(sgd->weight_decay.value);
    return std::make_unique<optim::SGD>(groups_of(tensors, sgd->weight_decay, options), options);
  }
  const auto& adam = std::get<model::Adam>(model.optimizer);
  return is_decoupled(adam.weight_decay) ? adam_of<optim::AdamW, optim::AdamWOptions>(adam, tensors)
                                         : adam_of<optim::Adam, optim::AdamOptions>(adam, tensors);
}

void set_moments(optim::Optimizer& optimizer,
                 const model::Model& model,
                 const std::vector<NamedTensor>& tensors,
                 const tensor::SafetensorsFile& state,
                 int64_t step) {
  with_state_type(model, [&]<typename State>(std::type_identity<State>) {
    for_each_trained(tensors, [&](const NamedTensor& named, void* place) {
      auto own = std::make_unique<State>();
      const Tensor like = named.tensor.detach();
      const Tensor m = moment(state, named.name + ".state.m", like);
      if constexpr (std::is_same_v<State, optim::SGDParamState>) {
        own->momentum_buffer(m);
      } else {
        own->exp_avg(m);
        own->exp_avg_sq(moment(state, named.name + ".state.v", like));
        own->step(step - 1);
      }
      optimizer.state()[place] = std::move(own);
    });
  });
}

std::map<std::string, Tensor> moments_of(optim::Optimizer& optimizer,
                                         const model::Model& model,
                                         const std::vector<NamedTensor>& tensors) {
  std::map<std::string, Tensor> moments;
  with_state_type(model, [&]<typename State>(std::type_identity<State>) {
    for_each_trained(tensors, [&](const NamedTensor& named, void* place) {
      const auto& own = static_cast<const State&>(*optimizer.state().at(place));
      if constexpr (std::is_same_v<State, optim::SGDParamState>) {
        moments.emplace(named.name + ".state.m", own.momentum_buffer());
      } else {
        moments.emplace(named.name + ".state.m", own.exp_avg());
        moments.emplace(named.name + ".state.v", own.exp_avg_sq());
      }
    });
  });
  return moments;
}

}  // namespace crossbind::worker
