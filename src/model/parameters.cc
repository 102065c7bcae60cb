#include "model/parameters.h"

#include <cmath>

namespace crossbind::model {
namespace {

constexpr double kNormalDeviation = 0.02;
constexpr double kEmbeddingRange = 0.05;  // Keras's, which goes with Glorot

constexpr InitialValues kZeros = {.distribution = Distribution::kZeros};
constexpr InitialValues kOnes = {.distribution = Distribution::kOnes};

// The sizes a rule scales by. In double: their products in a hostile file fit no integer.
struct Fans {
  double in = 0;
  double out = 0;
};

InitialValues uniform(double amount) {
  return {.distribution = Distribution::kUniform, .amount = amount};
}

InitialValues normal(double deviation) {
  return {.distribution = Distribution::kNormal, .amount = deviation};
}

InitialValues weight_values(InitRule rule, const Fans& fans) {
  if (rule == InitRule::kFanInUniform) {
    return uniform(1 / std::sqrt(fans.in));
  }
  if (rule == InitRule::kGlorotUniform) {
    return uniform(std::sqrt(6 / (fans.in + fans.out)));
  }
  return normal(rule == InitRule::kKaimingNormal ? std::sqrt(2 / fans.in) : kNormalDeviation);
}

InitialValues bias_values(InitRule rule, const Fans& fans) {
  return rule == InitRule::kFanInUniform ? weight_values(rule, fans) : kZeros;
}

InitialValues embedding_values(InitRule rule, const Fans& fans) {
  if (rule == InitRule::kFanInUniform) {
    return normal(1);  // PyTorch's, which goes with uniform by fan-in
  }
  return rule == InitRule::kGlorotUniform ? uniform(kEmbeddingRange) : weight_values(rule, fans);
}

// Appends the parameters of one layer, by type.
class Lister {
 public:
  Lister(const std::string& prefix, const Initialisation& initialisation)
      : prefix_(prefix),
        rule_(initialisation.rule),
        forget_bias_(initialisation.forget_bias) {}

  void operator()(const Conv2d& conv) {
    const double window =
        static_cast<double>(conv.kernel.height) * static_cast<double>(conv.kernel.width);
    const Fans fans = {static_cast<double>(conv.in_channels) * window,
                       static_cast<double>(conv.out_channels) * window};
    add("weight",
        {conv.out_channels, conv.in_channels, conv.kernel.height, conv.kernel.width},
        Role::kWeight,
        weight_values(rule_, fans));
    if (conv.bias) {
      add("bias", {conv.out_channels}, Role::kBias, bias_values(rule_, fans));
    }
  }

  void operator()(const Linear& linear) {
    dense("", linear.in_features, linear.out_features, linear.bias);
  }

  void operator()(const BatchNorm& norm) {
    scale_and_shift(norm.features);
    add("running_mean", {norm.features}, Role::kRunningMean, kZeros);
    add("running_var", {norm.features}, Role::kRunningVariance, kOnes);
  }

  void operator()(const LayerNorm& norm) { scale_and_shift(norm.features); }

  void operator()(const Embedding& embedding) {
    const Fans fans = {static_cast<double>(embedding.width),
                       static_cast<double>(embedding.entries)};
    InitialValues values = embedding_values(rule_, fans);
    if (embedding.padding_index) {
      values.forget_begin = *embedding.padding_index;
      values.forget_end = values.forget_begin + 1;
    }
    add("weight", {embedding.entries, embedding.width}, Role::kWeight, values);
  }

  void operator()(const Lstm& lstm) {
    recurrent(4, lstm);
    if (forget_bias_) {
      InitialValues& values = added_[2].initial;  // bias_ih; gates are i f g o
      values.forget_begin = lstm.hidden;
      values.forget_end = 2 * lstm.hidden;
      values.forget_value = *forget_bias_;
    }
  }

  void operator()(const Gru& gru) { recurrent(3, gru); }

  void operator()(const SelfAttention& attention) {
    for (const char* part : {"query.", "key.", "value.", "output."}) {
      dense(part, attention.width, attention.width, true);
    }
  }

  template <WithoutParameters Layer>
  void operator()(const Layer&) {}

  [[nodiscard]] std::vector<Parameter> take() { return std::move(added_); }

 private:
  void add(const std::string& suffix, Shape shape, Role role, const InitialValues& initial) {
    added_.push_back({prefix_ + "." + suffix, std::move(shape), role, initial});
  }

  void dense(const std::string& part, int64_t in, int64_t out, bool bias) {
    const Fans fans = {static_cast<double>(in), static_cast<double>(out)};
    add(part + "weight", {out, in}, Role::kWeight, weight_values(rule_, fans));
    if (bias) {
      add(part + "bias", {out}, Role::kBias, bias_values(rule_, fans));
    }
  }

  void scale_and_shift(int64_t features) {
    add("weight", {features}, Role::kScale, kOnes);
    add("bias", {features}, Role::kShift, kZeros);
  }

  template <typename Recurrent>
  void recurrent(int64_t gates, const Recurrent& layer) {
    const int64_t rows = gates * layer.hidden;
    const auto hidden = static_cast<double>(layer.hidden);
    // Uniform by fan-in takes the hidden size for all four, as PyTorch does.
    const bool by_hidden = rule_ == InitRule::kFanInUniform;
    const Fans fans_ih = {by_hidden ? hidden : static_cast<double>(layer.in_features),
                          static_cast<double>(rows)};
    const Fans fans_hh = {hidden, static_cast<double>(rows)};
    add("weight_ih", {rows, layer.in_features}, Role::kWeight, weight_values(rule_, fans_ih));
    add("weight_hh", {rows, layer.hidden}, Role::kWeight, weight_values(rule_, fans_hh));
    add("bias_ih", {rows}, Role::kBias, bias_values(rule_, fans_hh));
    if (layer.biases == 2) {
      add("bias_hh", {rows}, Role::kBias, bias_values(rule_, fans_hh));
    }
  }

  const std::string& prefix_;
  InitRule rule_;
  std::optional<double> forget_bias_;
  std::vector<Parameter> added_;
};

}  // namespace

std::vector<Parameter> parameters_of(const Layer& layer,
                                     const std::string& name,
                                     const Initialisation& initialisation) {
  Lister lister(name, initialisation);
  std::visit(lister, layer);
  return lister.take();
}

}  // namespace crossbind::model
