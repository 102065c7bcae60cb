// Any text is either a study with a matrix to plan or an error with a place.
#include <cstdlib>

#include "spec/study.h"

namespace {

crossbind::Result<crossbind::model::Model> any_model(const std::string& name,
                                                     crossbind::model::Geometry geometry) {
  constexpr std::string_view kModel = R"(id = "mine"
title = "Mine"
dataset = "mnist"
loss = "cross_entropy"
init = "normal"
batch = 8
layers = [{ name = "flatten", type = "flatten" }, { name = "fc", type = "linear", out = 10, bias = true }]
inputs = { image = { shape = [1, 28, 28] } }
optimizer = { type = "sgd", rate = 0.1, momentum = 0.0 }
)";
  if (name.empty()) {
    std::abort();
  }
  return crossbind::model::parse_model(kModel, "model.toml", geometry);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto study = crossbind::spec::parse_study(text, "fuzz.toml", any_model);
  if (!study) {
    if (!study.error().where.starts_with("fuzz.toml:")) {
      std::abort();
    }
    return 0;
  }
  if (study->bindings.empty() || study->seeds.empty() || study->devices.empty() ||
      study->tasks.empty() || study->loaders.empty() || study->variants.empty() ||
      study->measures.empty() || study->models.empty() || study->repeats < 1) {
    std::abort();
  }
  return 0;
}
