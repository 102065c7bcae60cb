// The parameters of a layer: names, canonical shapes, roles, and how their first values are drawn.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/model.h"
#include "model/names.h"

namespace crossbind::model {

// The layers that have none. A new layer is not in the list until somebody puts it there.
template <typename T>
concept WithoutParameters = std::disjunction_v<std::is_same<T, MaxPool2d>,
                                               std::is_same<T, AvgPool2d>,
                                               std::is_same<T, GlobalAvgPool>,
                                               std::is_same<T, Flatten>,
                                               std::is_same<T, Tanh>,
                                               std::is_same<T, Relu>,
                                               std::is_same<T, Sigmoid>,
                                               std::is_same<T, Gelu>,
                                               std::is_same<T, Softmax>,
                                               std::is_same<T, Dropout>,
                                               std::is_same<T, Pad>,
                                               std::is_same<T, Add>,
                                               std::is_same<T, SelectLast>>;

// What a file says about a layer's initial values.
struct Initialisation {
  InitRule rule = InitRule::kFanInUniform;
  std::optional<double> forget_bias;  // of an LSTM
};

// In canonical order: weight, bias, running_mean, running_var; weight_ih, weight_hh, bias_ih,
// bias_hh; query, key, value, output. The layer's sizes must be known.
[[nodiscard]] std::vector<Parameter> parameters_of(const Layer& layer,
                                                   const std::string& name,
                                                   const Initialisation& initialisation);

}  // namespace crossbind::model
