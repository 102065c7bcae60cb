// How models look: aligned text for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"

namespace crossbind::cli {

[[nodiscard]] std::string models_table(const std::vector<model::Model>& models);
[[nodiscard]] std::string models_json(const std::vector<model::Model>& models);

// One model with its layers.
[[nodiscard]] std::string model_text(const model::Model& model);
[[nodiscard]] std::string model_json(const model::Model& model);  // the canonical graph

// What `models check` found: a model at both geometries, or what is wrong with its file.
struct ModelCheck {
  std::string file;
  Result<model::Model> full;
  Result<model::Model> conform;

  [[nodiscard]] const Error* error() const;
};

[[nodiscard]] std::string check_text(const ModelCheck& check);  // of a right file
[[nodiscard]] std::string check_json(const ModelCheck& check);

}  // namespace crossbind::cli
