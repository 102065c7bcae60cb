#include "referee_binding.h"

#include "model/features.h"
#include "referee_session.h"

namespace crossbind::worker {

Result<std::unique_ptr<Session>> RefereeBinding::open(const Job& job) {
  return RefereeSession::open(job);
}

protocol::Hello referee_greeting() {
  protocol::Hello hello;
  hello.binding = "reference/cpp";
  hello.versions = {{"worker", CROSSBIND_VERSION}, {"compiler", __VERSION__}};
  auto& able = hello.capabilities;
  able.tasks = {trial::Task::kTrain, trial::Task::kInferParameters};
  able.devices = {"cpu"};
  able.loaders = {trial::Loader::kResident};
  able.variants = {trial::Variant::kStep};
  able.measures = {trial::Measure::kTotal, trial::Measure::kParts};
  able.training_accuracies = {trial::TrainingAccuracy::kEval, trial::TrainingAccuracy::kRunning};
  able.layers = model::all_layer_types();
  able.losses = {"cross_entropy", "binary_cross_entropy", "span_cross_entropy"};
  able.optimizers = {"sgd", "adam"};
  able.probe = trial::ProbeLevel::kGradients;
  able.queries = trial::Queries::kGradients;
  able.saves = true;
  return hello;
}

int serve_referee() {
  protocol::Hello hello = referee_greeting();
  RefereeBinding binding(hello.capabilities);
  return serve(binding, std::move(hello));
}

}  // namespace crossbind::worker
