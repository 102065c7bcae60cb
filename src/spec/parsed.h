// Studies of the ready models from their text, for tests.
#pragma once

#include <string>

#include "spec/study.h"
#include "testing/testing.h"

namespace crossbind::spec {

[[nodiscard]] inline Result<Study> parsed(const std::string& text) {
  return parse_study(text, "mine.toml", [](const std::string& name, model::Geometry geometry) {
    return model::find_model(name, testing::source_path("models"), geometry);
  });
}

}  // namespace crossbind::spec
