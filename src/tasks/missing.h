// What a worker lacks for a task, in the words of the report: "layer gru",
// "gru.reset_after=false", "optimizer adam", "task infer-serialization". Nothing when it can do it.
#pragma once

#include <optional>
#include <string>

#include "model/model.h"
#include "trial/capabilities.h"
#include "trial/settings.h"

namespace crossbind::tasks {

// The first feature that a trial needs and the worker lacks.
[[nodiscard]] std::optional<std::string> missing_feature(const trial::Capabilities& capabilities,
                                                         const model::Model& model,
                                                         trial::Task task,
                                                         const trial::Settings& settings);

// Its two halves, for who asks for a million trials: the second reads the whole model, but does
// not depend on the settings.
[[nodiscard]] std::optional<std::string> missing_setting(const trial::Capabilities& capabilities,
                                                         trial::Task task,
                                                         const trial::Settings& settings);
[[nodiscard]] std::optional<std::string> missing_of_model(const trial::Capabilities& capabilities,
                                                          const model::Model& model,
                                                          trial::Task task);

// What a worker lacks to build the model's layers, and to train them where that is wanted: it is
// asked of the binding that serializes a model for others.
[[nodiscard]] std::optional<std::string> missing_of_graph(const trial::Capabilities& capabilities,
                                                          const model::Model& model,
                                                          bool takes_steps);

}  // namespace crossbind::tasks
