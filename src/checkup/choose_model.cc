#include <fmt/format.h>

#include <algorithm>

#include "checkup/exercise.h"
#include "model/features.h"
#include "tasks/missing.h"

namespace crossbind::checkup {
namespace {

using trial::Capabilities;

// A binding with one form of a convention uses it whatever is asked: the referee would differ.
bool is_another_convention(const Capabilities& able, const std::string& feature) {
  const size_t equals = feature.find('=');
  const auto own = able.conventions.find(feature.substr(0, equals));
  return equals != std::string::npos && own != able.conventions.end() &&
         own->second != feature.substr(equals + 1);
}

bool fits(const Capabilities& able, const model::Model& model) {
  const bool trains = std::ranges::find(able.tasks, trial::Task::kTrain) != able.tasks.end();
  const auto task = trains ? trial::Task::kTrain : trial::Task::kInferParameters;
  const auto types = model::layer_types(model);
  const auto features = model::features(model);
  return !tasks::missing_feature(able, model, task, exercise_settings(able)) &&
         std::ranges::find(types, "dropout") == types.end() &&
         std::ranges::none_of(features, [&](const std::string& feature) {
           return is_another_convention(able, feature);
         });
}

// One linear layer in every form that a worker may be limited to.
Result<std::vector<model::Model>> single_layers() {
  std::vector<model::Model> found;
  for (const char* optimizer : {"type = \"sgd\"\nmomentum = 0.0",
                                "type = \"adam\"\nbeta1 = 0.9\nbeta2 = 0.999\nepsilon = 1e-8\n"
                                "epsilon_form = \"outside\"",
                                "type = \"adam\"\nbeta1 = 0.9\nbeta2 = 0.999\nepsilon = 1e-8\n"
                                "epsilon_form = \"hat\""}) {
    for (const auto& [loss, outputs] :
         {std::pair{"cross_entropy", 4}, std::pair{"binary_cross_entropy", 1}}) {
      for (const bool bias : {true, false}) {
        CB_ASSIGN(auto model,
                  model::parse_model(fmt::format(R"(id = "single"
title = "One linear layer"
dataset = "glyphs"
loss = "{}"
init = "fan_in_uniform"
batch = 8
layers = [{{ name = "fc", type = "linear", out = {}, bias = {} }}]
[inputs]
image = {{ shape = [16] }}
[optimizer]
{}
rate = 0.05
)",
                                                 loss,
                                                 outputs,
                                                 bias,
                                                 optimizer),
                                     "single.toml",
                                     model::Geometry::kFull));
        found.push_back(std::move(model));
      }
    }
  }
  return found;
}

}  // namespace

trial::Settings exercise_settings(const Capabilities& able) {
  trial::Settings settings = trial::plain_settings(able);
  settings.seed = 1;
  settings.epochs = kEpochs;
  settings.batch_size = kBatch;
  return settings;
}

Result<model::Model> choose_model(const Capabilities& able, const std::filesystem::path& models) {
  std::vector<model::Model> candidates;
  CB_ASSIGN(const auto paths, model::list_models(models));
  for (const auto& path : paths) {
    CB_ASSIGN(auto model, model::load_model(path, model::Geometry::kConform));
    candidates.push_back(std::move(model));
  }
  std::ranges::sort(candidates, {}, &model::Model::parameter_count);
  CB_ASSIGN(auto singles, single_layers());
  std::ranges::move(singles, std::back_inserter(candidates));
  const auto chosen = std::ranges::find_if(
      candidates, [&](const model::Model& model) { return fits(able, model); });
  if (chosen == candidates.end()) {
    return fail(ErrorKind::kUnsupported,
                "what it claims makes up no model that could be tried: not even one layer "
                "'linear' with a loss and an optimizer");
  }
  return std::move(*chosen);
}

}  // namespace crossbind::checkup
