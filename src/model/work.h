// How much there is to compute in a model, for estimates: nothing that is measured comes from here.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace crossbind::model {

struct Work {
  int64_t multiply_adds = 0;  // of products with weights, and of attention
  int64_t values = 0;         // that layers put out
};

// What one sample's way forward through the model takes.
[[nodiscard]] Work work_of(const Model& model);

}  // namespace crossbind::model
