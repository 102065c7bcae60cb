// Models for the tests.
#pragma once

#include <string>

#include "model/model.h"

namespace crossbind::worker {

inline constexpr const char* kSgd = "type = \"sgd\"\nrate = 0.1\nmomentum = 0.0\n";

inline model::Model parse_layers(const std::string& layers,
                                 const std::string& inputs,
                                 const std::string& optimizer = kSgd) {
  return model::parse_model(
             "id = \"m\"\ntitle = \"t\"\ndataset = \"d\"\nloss = \"cross_entropy\"\n"
             "init = \"fan_in_uniform\"\nbatch = 2\nlayers = [\n" +
                 layers + "\n]\n[inputs]\n" + inputs + "\n[optimizer]\n" + optimizer,
             "test",
             model::Geometry::kFull)
      .value();
}

}  // namespace crossbind::worker
