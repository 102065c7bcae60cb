#include "saved_session.h"

#include "layouts.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {
namespace {

constexpr const char* kServing = "serving_default";
constexpr const char* kTraining = "train_step";
constexpr const char* kParameters = "parameters";
constexpr const char* kOutputs = "outputs";
constexpr const char* kLoss = "loss";

template <typename Named>
Names names_of(const std::vector<Named>& all) {
  Names names;
  for (const Named& each : all) {
    names.push_back(each.name);
  }
  return names;
}

// Of exactly these inputs, and at least these outputs.
Status check_signature(const SavedModel& saved,
                       const std::string& name,
                       const Names& inputs,
                       const Names& outputs) {
  const Signature* signature = saved.find(name);
  if (signature == nullptr) {
    return fail(ErrorKind::kCorrupt, "the SavedModel has no signature '{}'", name);
  }
  for (const std::string& input : inputs) {
    if (!signature->inputs.contains(input)) {
      return fail(ErrorKind::kCorrupt, "the signature '{}' has no input '{}'", name, input);
    }
  }
  if (signature->inputs.size() != inputs.size()) {
    return fail(ErrorKind::kCorrupt,
                "the signature '{}' has {} inputs, expected {}",
                name,
                signature->inputs.size(),
                inputs.size());
  }
  for (const std::string& output : outputs) {
    const auto found = signature->outputs.find(output);
    if (found == signature->outputs.end() || !found->second.is_float32) {
      return fail(
          ErrorKind::kCorrupt, "the signature '{}' has no float32 output '{}'", name, output);
    }
  }
  return {};
}

Status check_parameters(const SavedModel& saved, const model::Model& model) {
  CB_TRY(check_signature(saved, kParameters, {}, names_of(model.parameters)));
  const Signature& signature = *saved.find(kParameters);
  for (const model::Parameter& parameter : model.parameters) {
    const tensor::Shape& shape = signature.outputs.at(parameter.name).shape;
    if (shape != parameter.shape) {
      return fail(ErrorKind::kCorrupt,
                  "'{}' is {}, expected {}",
                  parameter.name,
                  tensor::to_string(shape),
                  tensor::to_string(parameter.shape));
    }
  }
  return {};
}

Status located(Status status, const Job& job) {
  if (!status) {
    return tl::unexpected(std::move(status).error().at(job.serialized->path.string()));
  }
  return status;
}

}  // namespace

SavedSession::SavedSession(const Job& job, int threads, SavedModel model)
    : TensorflowSession(job, threads),
      model_(std::move(model)) {}

Result<std::unique_ptr<SavedSession>> SavedSession::open(const Job& job, int threads) {
  CB_ASSIGN(SavedModel saved, SavedModel::load(job.serialized->path, threads));
  CB_TRY(located(check_signature(saved, kServing, names_of(job.model.inputs), {kOutputs}), job));
  CB_TRY(located(check_parameters(saved, job.model), job));
  return std::unique_ptr<SavedSession>(new SavedSession(job, threads, std::move(saved)));
}

Status SavedSession::restore() {
  Names inputs = names_of(job().model.inputs);
  for (const std::string& target : target_names(job().model)) {
    inputs.push_back(target);
  }
  CB_TRY(located(check_signature(model_, kTraining, inputs, {kOutputs, kLoss}), job()));
  return model_.restore();
}

Feeds SavedSession::inputs_of(const NativeBatch& batch) const {
  Feeds feeds;
  for (size_t i = 0; i < batch.inputs.size(); ++i) {
    feeds.emplace_back(job().model.inputs[i].name, batch.inputs[i]);
  }
  return feeds;
}

TensorflowSession::StepResult SavedSession::train_step(const NativeBatch& batch,
                                                       bool with_outputs) {
  Feeds feeds = inputs_of(batch);
  const Names targets = target_names(job().model);
  for (size_t i = 0; i < targets.size(); ++i) {
    feeds.emplace_back(targets[i], batch.targets[i]);
  }
  auto fetched = model_.call(
      *model_.find(kTraining), feeds, with_outputs ? Names{kLoss, kOutputs} : Names{kLoss});
  StepResult result{std::move(fetched[0]), std::nullopt};
  if (with_outputs) {
    result.outputs = std::move(fetched[1]);
  }
  return result;
}

NativeTensor SavedSession::predict(const NativeBatch& batch) {
  return model_.call(*model_.find(kServing), inputs_of(batch), {kOutputs}).front();
}

// Its layers are calls of functions, which have no gradient in C++.
Result<Answer> SavedSession::predict_with_gradients(const NativeBatch& /*batch*/) {
  return fail(ErrorKind::kUnsupported, "gradients of a serialized model");
}

Status SavedSession::save(const std::filesystem::path& path) {
  const Names names = names_of(job().model.parameters);
  const auto values = model_.call(*model_.find(kParameters), {}, names);
  tensor::TensorMap map;
  for (size_t i = 0; i < names.size(); ++i) {
    map.emplace(names[i], tensor::Tensor(values[i].view()));  // canonical as they come
  }
  return tensor::save_safetensors(path, map, {});
}

Result<Probed> SavedSession::probe(const ProbeStep& step) {
  const std::string name = job().model.nodes.back().name + ".out";
  Probed probed;
  if (std::ranges::find(step.wanted, name) != step.wanted.end()) {
    probed.tensors.emplace(name, batch_to_canonical(predict(whole_batch(step.batch))));
  }
  return probed;
}

}  // namespace crossbind::worker
