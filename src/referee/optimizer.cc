#include "referee/optimizer.h"

#include <cmath>

namespace crossbind::referee {
namespace {

// A hyper-parameter such as 1 - beta2 may be computed from a float32 beta2, off by half an ulp.
// That error is systematic and bounded, so it enters the unit error divided by the bound's constant
// (32).
constexpr double kRepresentation = 1.0 / 32;

bool decays(const model::WeightDecay& decay, model::Role role) {
  return decay.value != 0 &&
         (decay.applies_to == model::DecayApplies::kAll || role == model::Role::kWeight);
}

template <typename T>
T coupled(const model::WeightDecay& decay, model::Role role) {
  return decays(decay, role) && decay.form == model::DecayForm::kCoupled
             ? static_cast<T>(decay.value)
             : T{0};
}

template <typename T>
T decoupled(const model::WeightDecay& decay, model::Role role) {
  return decays(decay, role) && decay.form == model::DecayForm::kDecoupled
             ? static_cast<T>(decay.value)
             : T{0};
}

template <typename T>
void apply(const model::Sgd& sgd,
           model::Role role,
           int64_t,
           const Array<T>& gradient,
           OptimizerState<T>& state,
           Array<T>& parameter) {
  const T rate = static_cast<T>(sgd.rate);
  const T momentum = static_cast<T>(sgd.momentum);
  const T in_gradient = coupled<T>(sgd.weight_decay, role);
  const T in_update = decoupled<T>(sgd.weight_decay, role);
  for (int64_t i = 0; i < parameter.size(); ++i) {
    T step = gradient[i] + in_gradient * parameter[i];
    if (sgd.momentum != 0) {
      step = state.m[i] = momentum * state.m[i] + step;
    }
    parameter[i] -= rate * step + rate * in_update * parameter[i];
  }
}

template <typename T>
void apply(const model::Adam& adam,
           model::Role role,
           int64_t step,
           const Array<T>& gradient,
           OptimizerState<T>& state,
           Array<T>& parameter) {
  const T beta1 = static_cast<T>(adam.beta1);
  const T beta2 = static_cast<T>(adam.beta2);
  const T first = static_cast<T>(1 - adam.beta1);
  const T second = static_cast<T>(1 - adam.beta2);
  const T correction1 = static_cast<T>(1 - std::pow(adam.beta1, static_cast<double>(step)));
  const T correction2 = static_cast<T>(1 - std::pow(adam.beta2, static_cast<double>(step)));
  const T rate = static_cast<T>(adam.rate);
  const T epsilon = static_cast<T>(adam.epsilon);
  const T in_gradient = coupled<T>(adam.weight_decay, role);
  const T in_update = decoupled<T>(adam.weight_decay, role);
  for (int64_t i = 0; i < parameter.size(); ++i) {
    const T g = gradient[i] + in_gradient * parameter[i];
    T& m = state.m[i];
    T& v = state.v[i];
    m = beta1 * m + first * g;
    v = beta2 * v + second * g * g;
    const T change =
        adam.epsilon_form == model::EpsilonForm::kOutside
            ? rate * (m / correction1) / (std::sqrt(v / correction2) + epsilon)
            : rate * std::sqrt(correction2) / correction1 * m / (std::sqrt(v) + epsilon);
    parameter[i] -= change + rate * in_update * parameter[i];
  }
}

// What an update starts from.
struct Before {
  const Array<double>& gradient;
  const OptimizerState<double>& state;
  const Array<double>& parameter;
};

void add_error(const model::Sgd& sgd,
               model::Role role,
               int64_t,
               const Before& before,
               UpdateVariance& variance) {
  const auto& [gradient, state, parameter] = before;
  const double in_gradient = coupled<double>(sgd.weight_decay, role);
  const double in_update = decoupled<double>(sgd.weight_decay, role);
  for (int64_t i = 0; i < parameter.size(); ++i) {
    const double p = std::abs(parameter[i]);
    double step = std::abs(gradient[i]) + in_gradient * p;
    double error = in_gradient != 0 ? 2 * square(step) : 0;
    if (sgd.momentum != 0) {
      step += sgd.momentum * std::abs(state.m[i]);
      error += 2 * square(step);
      variance.m[i] = error;
    }
    const double size = p + sgd.rate * (step + in_update * p);
    // The subtraction rounds once in the size of the result; rate and product round in the change.
    variance.parameter[i] =
        square(sgd.rate) * error + square(p) + 2 * square(sgd.rate * step) + square(size);
  }
}

void add_error(const model::Adam& adam,
               model::Role role,
               int64_t step,
               const Before& before,
               UpdateVariance& variance) {
  const auto& [gradient, state, parameter] = before;
  const double in_gradient = coupled<double>(adam.weight_decay, role);
  const double in_update = decoupled<double>(adam.weight_decay, role);
  const auto t = static_cast<double>(step);
  const double power1 = std::pow(adam.beta1, t);
  const double power2 = std::pow(adam.beta2, t);
  // beta^t may be a product of t rounded factors; 1 - beta^t then loses what cancels.
  const double relative1 = kRepresentation * (t * power1 + 1) / (1 - power1);
  const double relative2 = kRepresentation * (t * power2 + 1) / (1 - power2);
  for (int64_t i = 0; i < parameter.size(); ++i) {
    const double p = std::abs(parameter[i]);
    const double g = gradient[i] + in_gradient * parameter[i];
    const double size_g = std::abs(gradient[i]) + in_gradient * p;
    const double error_g = in_gradient != 0 ? 2 * square(size_g) : 0;
    const double m = adam.beta1 * state.m[i] + (1 - adam.beta1) * g;
    const double v = adam.beta2 * state.v[i] + (1 - adam.beta2) * g * g;
    const double size_m = adam.beta1 * std::abs(state.m[i]) + (1 - adam.beta1) * size_g;
    variance.m[i] =
        square(1 - adam.beta1) * error_g + 3 * square(size_m) + square(kRepresentation * g);
    variance.v[i] = square(2 * (1 - adam.beta2) * g) * error_g +
                    4 * square(adam.beta2 * state.v[i] + (1 - adam.beta2) * square(size_g)) +
                    square(kRepresentation * g * g);
    const double hat = adam.epsilon_form == model::EpsilonForm::kHat ? 1 : 1 - power2;
    const double root = std::sqrt(v / hat);
    const double scale = adam.epsilon_form == model::EpsilonForm::kHat
                             ? std::sqrt(1 - power2) / (1 - power1)
                             : 1 / (1 - power1);
    const double denominator = root + adam.epsilon;
    const double change = denominator > 0 ? adam.rate * scale * m / denominator : 0;
    double relative = 6 + square(relative1) + square(relative2 / 2);
    if (v > 0 && denominator > 0) {
      relative += square(root / denominator) * variance.v[i] / square(2 * v);
    }
    const double of_m =
        denominator > 0 ? square(adam.rate * scale / denominator) * variance.m[i] : 0;
    const double size = p + std::abs(change) + adam.rate * in_update * p;
    variance.parameter[i] = square(change) * relative + of_m + square(p) + square(size);
  }
}

// Which of the two moments an optimizer keeps.
struct Moments {
  bool first;
  bool second;
};

Moments moments_of(const model::Sgd& sgd) {
  return {.first = sgd.momentum != 0, .second = false};
}

Moments moments_of(const model::Adam&) {
  return {.first = true, .second = true};
}

}  // namespace

bool has_first_moment(const model::Optimizer& optimizer) {
  return std::visit([](const auto& typed) { return moments_of(typed).first; }, optimizer);
}

bool has_second_moment(const model::Optimizer& optimizer) {
  return std::visit([](const auto& typed) { return moments_of(typed).second; }, optimizer);
}

template <typename T>
OptimizerState<T> initial_state(const model::Optimizer& optimizer, const Shape& shape) {
  OptimizerState<T> state;
  if (has_first_moment(optimizer)) {
    state.m = Array<T>(shape);
  }
  if (has_second_moment(optimizer)) {
    state.v = Array<T>(shape);
  }
  return state;
}

template <typename T>
void update(const model::Optimizer& optimizer,
            model::Role role,
            int64_t step,
            const Array<T>& gradient,
            OptimizerState<T>& state,
            Array<T>& parameter) {
  std::visit([&](const auto& typed) { apply(typed, role, step, gradient, state, parameter); },
             optimizer);
}

UpdateVariance update_error(const model::Optimizer& optimizer,
                            model::Role role,
                            int64_t step,
                            const Array<double>& gradient,
                            const OptimizerState<double>& state,
                            const Array<double>& parameter) {
  UpdateVariance variance;
  variance.parameter = Array<double>(parameter.shape);
  auto zeros = initial_state<double>(optimizer, parameter.shape);
  variance.m = std::move(zeros.m);
  variance.v = std::move(zeros.v);
  std::visit(
      [&](const auto& typed) {
        add_error(typed, role, step, {gradient, state, parameter}, variance);
      },
      optimizer);
  return variance;
}

template OptimizerState<float> initial_state(const model::Optimizer&, const Shape&);
template OptimizerState<double> initial_state(const model::Optimizer&, const Shape&);
template void update(const model::Optimizer&,
                     model::Role,
                     int64_t,
                     const Array<float>&,
                     OptimizerState<float>&,
                     Array<float>&);
template void update(const model::Optimizer&,
                     model::Role,
                     int64_t,
                     const Array<double>&,
                     OptimizerState<double>&,
                     Array<double>&);

}  // namespace crossbind::referee
