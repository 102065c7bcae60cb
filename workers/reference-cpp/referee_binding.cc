#include "referee_binding.h"

#include "model/features.h"
#include "probe.h"

namespace crossbind::worker {

Result<protocol::Done> RefereeBinding::prepare(const protocol::Prepare& request) {
  session_.reset();
  material_.reset();
  CB_ASSIGN(auto material, read_material(request));
  order_.clear();
  if (request.order && material.training) {
    CB_ASSIGN(order_, read_order(*request.order, request.settings, material.training->size()));
  }
  material_ = std::make_unique<Material>(std::move(material));
  settings_ = request.settings;
  if (material_->data) {
    session_ = std::make_unique<RefereeSession>(*material_, settings_);
  }
  return protocol::Done{.parameters = material_->model.parameter_count()};
}

Result<Reply> RefereeBinding::train(const protocol::Train& request, Conversation& conversation) {
  if (session_ == nullptr || order_.empty()) {
    return fail(ErrorKind::kInvalid, "nothing is prepared for training: data and order are needed");
  }
  return run_training(*session_, settings_, order_, request, conversation);
}

Result<Reply> RefereeBinding::infer(const protocol::Infer& request, Conversation& conversation) {
  if (session_ == nullptr) {
    return fail(ErrorKind::kInvalid, "nothing is prepared for inference: data is needed");
  }
  return run_inference(*session_, settings_, material_->testing->size(), request, conversation);
}

Result<Reply> RefereeBinding::probe(const protocol::Probe& request) {
  if (material_ == nullptr) {
    return fail(ErrorKind::kInvalid, "nothing is prepared");
  }
  return probe_step(material_->model, material_->weights, request);
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
  able.saves = true;
  return hello;
}

}  // namespace crossbind::worker
