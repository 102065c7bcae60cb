// The models that come with the program.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "model/model.h"

namespace crossbind::app {

// Every model file of the folder, by name; one that is wrong is an error.
[[nodiscard]] Result<std::vector<model::Model>> ready_models(const std::filesystem::path& folder,
                                                             model::Geometry geometry);

}  // namespace crossbind::app
