#include "model/types.h"

namespace crossbind::model {

std::string_view type_name(const Layer& layer) {
  return kLayerTypes[layer.index()].name;
}

std::string_view type_name(const Optimizer& optimizer) {
  return kOptimizerTypes[optimizer.index()].name;
}

}  // namespace crossbind::model
