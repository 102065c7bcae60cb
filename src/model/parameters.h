// The parameters of a layer: names, canonical shapes, roles, and how their first values are drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/names.h"

namespace crossbind::model {

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
