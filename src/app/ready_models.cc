#include "app/ready_models.h"

namespace crossbind::app {

Result<std::vector<model::Model>> ready_models(const std::filesystem::path& folder,
                                               model::Geometry geometry) {
  CB_ASSIGN(const auto paths, model::list_models(folder));
  std::vector<model::Model> models;
  models.reserve(paths.size());
  for (const auto& path : paths) {
    CB_ASSIGN(auto model, model::load_model(path, geometry));
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace crossbind::app
