// The ready models, for tests.
#pragma once

#include <filesystem>
#include <string>

#include "model/model.h"
#include "testing/testing.h"

namespace crossbind::model {

inline const std::filesystem::path kReadyModels = testing::source_path("models");

[[nodiscard]] inline Model ready_model(const std::string& id, Geometry geometry = Geometry::kFull) {
  return find_model(id, kReadyModels, geometry).value();
}

}  // namespace crossbind::model
