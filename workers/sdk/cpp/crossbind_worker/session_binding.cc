#include "crossbind_worker/session_binding.h"

#include <algorithm>

#include "crossbind_worker/procedure.h"
#include "model/features.h"
#include "tasks/missing.h"

namespace crossbind::worker {

using trial::Task;

namespace {

constexpr const char* kTrainingOfSerialized = "training of a serialized model";

}  // namespace

// A serialized model brings its own layers, loss and optimizer.
Status SessionBinding::check(const Job& job, Task task) const {
  const auto missing = job.serialized
                           ? tasks::missing_setting(capabilities_, task, job.settings)
                           : tasks::missing_feature(capabilities_, job.model, task, job.settings);
  if (missing) {
    return fail(ErrorKind::kUnsupported, "{}", *missing);
  }
  return {};
}

// The conventions that the binding has in one form only, where the model asks for another.
protocol::Texts SessionBinding::departures() const {
  protocol::Texts effective;
  for (const std::string& feature : model::features(job_->model)) {
    const size_t equals = feature.find('=');
    const auto own = capabilities_.conventions.find(feature.substr(0, equals));
    if (equals != std::string::npos && own != capabilities_.conventions.end() &&
        own->second != feature.substr(equals + 1)) {
      effective.emplace(own->first, own->second);
    }
  }
  return effective;
}

Result<protocol::Done> SessionBinding::prepare(const protocol::Prepare& request) {
  session_.reset();
  job_.reset();
  const Task task = request.serialized ? Task::kInferSerialization : Task::kInferParameters;
  if (const auto missing = tasks::missing_setting(capabilities_, task, request.settings)) {
    return fail(ErrorKind::kUnsupported, "{}", *missing);
  }
  CB_ASSIGN(auto job, read_job(request, capabilities_.reads));
  CB_TRY(check(job, task));
  job_ = std::make_unique<Job>(std::move(job));
  CB_ASSIGN(session_, open(*job_));
  protocol::Done done{.parameters = session_->parameters(), .effective = departures()};
  done.effective.merge(session_->effective());
  return done;
}

Result<Reply> SessionBinding::train(const protocol::Train& request, Conversation& conversation) {
  const bool drives_serialized =
      session_ != nullptr && job_->settings.variant == trial::Variant::kSavedModel;
  if (session_ != nullptr && job_->serialized && !drives_serialized) {
    return fail(ErrorKind::kUnsupported, "{}", kTrainingOfSerialized);
  }
  if (session_ == nullptr || job_->order.empty()) {
    return fail(ErrorKind::kInvalid, "nothing is prepared for training: data and order are needed");
  }
  if (drives_serialized && !job_->serialized) {
    return fail(ErrorKind::kInvalid, "the variant savedmodel trains a serialized model");
  }
  CB_TRY(check(*job_, Task::kTrain));
  return run_training(*session_, *job_, request, conversation);
}

Result<Reply> SessionBinding::infer(const protocol::Infer& request, Conversation& conversation) {
  if (session_ == nullptr || !job_->testing) {
    return fail(ErrorKind::kInvalid, "nothing is prepared for inference: data is needed");
  }
  return run_inference(*session_, *job_, request, conversation);
}

Result<Reply> SessionBinding::probe(const protocol::Probe& request) {
  if (session_ == nullptr) {
    return fail(ErrorKind::kInvalid, "nothing is prepared");
  }
  const bool is_training = request.mode == protocol::ProbeMode::kTrain;
  if (job_->serialized && (is_training || request.state)) {
    return fail(ErrorKind::kUnsupported,
                "{}",
                is_training ? kTrainingOfSerialized : "parameters of a serialized model");
  }
  if (is_training) {
    CB_TRY(check(*job_, Task::kTrain));
  }
  return run_probe(*session_, *job_, request);
}

Status SessionBinding::check(const protocol::Query& request) const {
  if (capabilities_.queries == trial::Queries::kNone) {
    return fail(ErrorKind::kUnsupported, "queries");
  }
  if (!request.gradients) {
    return {};
  }
  if (capabilities_.queries != trial::Queries::kGradients) {
    return fail(ErrorKind::kUnsupported, "gradients of inputs");
  }
  const std::string loss(model::loss_type(job_->model));
  if (std::ranges::find(capabilities_.losses, loss) == capabilities_.losses.end()) {
    return fail(ErrorKind::kUnsupported, "loss {}", loss);
  }
  return {};
}

Result<Reply> SessionBinding::query(const protocol::Query& request) {
  if (session_ == nullptr) {
    return fail(ErrorKind::kInvalid, "nothing is prepared");
  }
  CB_TRY(check(request));
  return run_query(*session_, *job_, request);
}

}  // namespace crossbind::worker
