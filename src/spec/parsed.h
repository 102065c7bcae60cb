// Studies from their text or file, for tests.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "spec/study.h"
#include "testing/testing.h"

namespace crossbind::spec {

// Its models are the ready ones.
[[nodiscard]] inline Result<Study> parsed(const std::string& text) {
  return parse_study(text, "mine.toml", [](const std::string& name, model::Geometry geometry) {
    return model::find_model(name, testing::source_path("models"), geometry);
  });
}

[[nodiscard]] inline Result<Study> load_study(const std::filesystem::path& path,
                                              const std::filesystem::path& models_folder) {
  CB_ASSIGN(const std::string text, read_file(path));
  return parse_study(text, path.string(), models_beside(path, models_folder));
}

}  // namespace crossbind::spec
