#include "torch_session.h"

#include <torch/cuda.h>
#include <torch/utils.h>

#include "base/digest.h"
#include "graph_session.h"
#include "losses.h"
#include "optimizers.h"
#include "probe.h"
#include "query.h"
#include "recording.h"
#include "serialized.h"
#include "tensors.h"

namespace crossbind::worker {

using torch::Tensor;

namespace {

std::string hash_of(const std::vector<Tensor>& tensors) {
  Sha256 hash;
  for (const Tensor& tensor : tensors) {
    const Tensor host = tensor.to(torch::kCPU).contiguous();
    hash.update({static_cast<const std::byte*>(host.data_ptr()), host.nbytes()});
  }
  return hash.hex();
}

}  // namespace

Result<std::unique_ptr<TorchSession>> TorchSession::open(const Job& job) {
  if (job.settings.device == "cuda" && !torch::cuda::is_available()) {
    return fail(ErrorKind::kUnsupported, "device cuda");
  }
  const bool replays = job.settings.variant == trial::Variant::kGraph;
  if (replays && !can_record()) {
    return fail(ErrorKind::kUnsupported, "variant graph: the worker was compiled without CUDA");
  }
  torch::set_num_threads(job.settings.threads);
  std::unique_ptr<TorchSession> session(replays ? new GraphSession(job) : new TorchSession(job));
  CB_TRY(session->build());
  return session;
}

TorchSession::TorchSession(const Job& job) : job_(job), device_(job.settings.device) {
  const auto loader = [&](const std::optional<Samples>& samples) {
    return samples ? make_loader(job.settings.loader, *samples, job.settings.batch_size, device_)
                   : nullptr;
  };
  training_ = loader(job.training);
  testing_ = loader(job.testing);
}

Status TorchSession::build() {
  if (job_.serialized) {
    CB_ASSIGN(script_, load_torchscript(job_.serialized->path, job_.model, device_));
    parameters_ = job_.model.parameter_count();  // every one has been found
    return {};
  }
  module_ = GraphModule(job_.model);
  module_->to(device_);
  for (const NamedTensor& named : module_->tensors()) {
    parameters_ += named.tensor.numel();
  }
  torch::manual_seed(job_.settings.seed);  // building the layers has drawn
  return load_tensors(*job_.weights, module_->tensors());
}

protocol::Texts TorchSession::effective() const {
  const int threads = torch::get_num_threads();
  return threads == job_.settings.threads ? protocol::Texts()
                                          : protocol::Texts{{"threads", std::to_string(threads)}};
}

Status TorchSession::restore() {
  CB_TRY(load_tensors(*job_.weights, module_->tensors()));
  CB_ASSIGN(optimizer_, make_optimizer(job_.model, module_->tensors()));
  torch::manual_seed(job_.settings.seed);
  return {};
}

void TorchSession::begin(Loader& loader, std::span<const BatchIds> batches) {
  loader.begin(batches);
  batches_ = batches;
  loaded_ = 0;
  losses_.clear();
  outputs_.clear();
  targets_.clear();
}

void TorchSession::load_from(Loader& loader) {
  batch_ = loader.next();
  ++loaded_;
}

void TorchSession::begin_epoch(std::span<const BatchIds> batches) {
  begin(*training_, batches);
  module_->train();
}

void TorchSession::load() {
  load_from(*training_);
}

void TorchSession::forward() {
  const Tensor outputs = module_(batch_.inputs);
  loss_ = loss_of(job_.model.loss, outputs, batch_.targets);
  losses_.push_back(loss_.detach());
  if (job_.settings.training_accuracy == trial::TrainingAccuracy::kRunning) {
    outputs_.push_back(outputs.detach());
    targets_.push_back(batch_.targets);
  }
}

void TorchSession::backward() {
  optimizer_->zero_grad();
  loss_.backward();
  optimizer_->step();
}

EpochMetrics TorchSession::end_epoch() {
  double loss = 0;
  double samples = 0;
  for (size_t i = 0; i < losses_.size(); ++i) {
    const auto count = static_cast<double>(batches_[i].size());
    loss += losses_[i].item<double>() * count;
    samples += count;
  }
  int64_t correct = 0;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    correct += score(job_.model.loss, outputs_[i], targets_[i]).correct;
  }
  return {loss / samples, static_cast<double>(correct) / samples};
}

void TorchSession::synchronize() {
  if (device_.is_cuda()) {
    torch::cuda::synchronize();
  }
}

protocol::Batch TorchSession::evidence_of(const TorchBatch& batch, const BatchIds& ids) {
  protocol::Batch evidence;
  evidence.count = batch.targets.front().size(0);
  evidence.ids = ids;
  evidence.inputs_sha256 = hash_of(batch.inputs);
  evidence.labels_sha256 = hash_of(batch.targets);
  return evidence;
}

protocol::Batch TorchSession::evidence() {
  return evidence_of(batch_, batches_[loaded_ - 1]);
}

Tensor TorchSession::outputs_of(const TorchBatch& batch) {
  if (script_) {
    return script_->forward({batch.inputs.begin(), batch.inputs.end()}).toTensor();
  }
  if (module_->is_training()) {
    module_->eval();
  }
  return module_(batch.inputs);
}

Tensor TorchSession::predict(const TorchBatch& batch) {
  const c10::InferenceMode no_autograd;
  return outputs_of(batch);
}

void TorchSession::evaluate(Split split,
                            std::span<const BatchIds> batches,
                            const OnOutputs& on_outputs) {
  Loader& loader = split == Split::kTraining ? *training_ : *testing_;
  loader.begin(batches);
  for (size_t i = 0; i < batches.size(); ++i) {
    const Tensor outputs = on_host(predict(loader.next()));
    on_outputs(view_of(outputs));
  }
}

void TorchSession::begin_inference(std::span<const BatchIds> batches) {
  begin(*testing_, batches);
}

void TorchSession::load_test() {
  load_from(*testing_);
}

void TorchSession::infer() {
  outputs_.push_back(predict(batch_));
}

tensor::Tensor TorchSession::end_inference() {
  return to_float32(torch::cat(outputs_));
}

Status TorchSession::save(const std::filesystem::path& path) {
  return save_tensors(path, module_->tensors());
}

Result<Probed> TorchSession::probe(const ProbeStep& step) {
  const TorchBatch batch = whole_batch(step.batch, device_);
  if (!script_) {
    CB_TRY(load_tensors(step.state == nullptr ? *job_.weights : *step.state, module_->tensors()));
    return probe_step(job_.model, module_, batch, step);
  }
  const Tensor outputs = predict(batch);
  Shelf shelf = {{job_.model.nodes.back().name + ".out", outputs}};
  std::optional<double> loss;
  if (!batch.targets.empty()) {
    loss = loss_of(job_.model.loss, outputs, batch.targets).item<double>();
  }
  return Probed{wanted_of(shelf, step.wanted), loss};
}

Result<Answer> TorchSession::query(const Samples& samples, Gradients gradients) {
  TorchBatch batch = whole_batch(samples, device_);
  if (gradients == Gradients::kNone) {
    return Answer{.outputs = to_float32(predict(batch)), .gradients = {}};
  }
  return answer_with_gradients(
      job_.model, batch, [this](const TorchBatch& given) { return outputs_of(given); });
}

}  // namespace crossbind::worker
