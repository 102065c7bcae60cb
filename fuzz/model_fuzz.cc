// Any text is either a model, which then has a graph to write, or an error with a place.
#include <nlohmann/json.hpp>

#include <cstdlib>

#include "model/graph_json.h"
#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using crossbind::model::Geometry;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto geometry : {Geometry::kFull, Geometry::kConform}) {
    const auto model = crossbind::model::parse_model(text, "fuzz.toml", geometry);
    if (!model) {
      if (!model.error().where.starts_with("fuzz.toml:")) {
        std::abort();
      }
      continue;
    }
    if (model->parameter_count() < model->trainable_count() || model->nodes.empty()) {
      std::abort();
    }
    (void)crossbind::model::canonical_graph(*model).dump();
  }
  return 0;
}
