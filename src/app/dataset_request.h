// What `crossbind dataset get` is asked for, as what src/data gets.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "data/get.h"
#include "data/glyphs.h"

namespace crossbind::app {

struct DatasetRequest {
  std::string name;
  std::string from;                  // empty: the usual source
  std::filesystem::path vocabulary;  // of questions; empty: the source's own
  data::GlyphOptions glyphs;         // of the generated digits: how many, which seed
  bool force = false;
};

// Refuses what does not go with the data set.
[[nodiscard]] Result<data::GetRequest> get_request_of(const DatasetRequest& request);

}  // namespace crossbind::app
