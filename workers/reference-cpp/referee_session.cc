#include "referee_session.h"

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "probe.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {
namespace {

using referee::Mode;

template <typename T>
std::string hash_of(const std::vector<T>& values) {
  return sha256_hex(std::as_bytes(std::span(values)));
}

// The bytes that the protocol hashes: float32, or int64 for integer inputs.
template <typename T>
void append_as(const std::vector<double>& values, Sha256& hash) {
  const std::vector<T> converted(values.begin(), values.end());
  hash.update(std::as_bytes(std::span(converted)));
}

}  // namespace

Result<std::unique_ptr<RefereeSession>> RefereeSession::open(const Job& job) {
  std::unique_ptr<RefereeSession> session(new RefereeSession(job));
  if (job.training) {
    CB_ASSIGN(session->training_,
              referee::Split::open(*job.data, "train", job.model, job.training->size));
  }
  if (job.testing) {
    CB_ASSIGN(session->testing_,
              referee::Split::open(*job.data, "test", job.model, job.testing->size));
  }
  CB_TRY(session->restore());
  return session;
}

Status RefereeSession::restore() {
  network_ = std::make_unique<referee::Network<double>>(
      job_.model,
      referee::Execution{.threads = job_.settings.threads},
      referee::DropoutSource{.seed = job_.settings.seed});
  return load_parameters(*network_, *job_.weights);
}

void RefereeSession::begin_epoch(std::span<const BatchIds> batches) {
  batches_ = batches;
  next_ = 0;
  loss_ = 0;
  correct_ = 0;
  samples_ = 0;
}

void RefereeSession::load_from(const referee::Split& split) {
  batch_ = split.gather<double>(batches_[next_]);
  ++next_;
}

void RefereeSession::load() {
  load_from(*training_);
}

void RefereeSession::forward() {
  network_->forward(batch_.inputs, Mode::kTrain);
  correct_ += referee::count_correct(job_.model.loss, network_->output(), batch_.targets);
}

// The engine computes the loss with its gradient, so that this little time is in this part.
void RefereeSession::backward() {
  const double loss = network_->backward(batch_.inputs, batch_.targets).value;
  network_->update(batch_.inputs);
  const auto count = static_cast<int64_t>(batch_.targets.labels.size());
  loss_ += loss * static_cast<double>(count);
  samples_ += count;
}

EpochMetrics RefereeSession::end_epoch() {
  const auto samples = static_cast<double>(std::max<int64_t>(samples_, 1));
  return {loss_ / samples, static_cast<double>(correct_) / samples};
}

protocol::Batch RefereeSession::evidence() {
  Sha256 inputs;
  for (size_t i = 0; i < batch_.inputs.size(); ++i) {
    job_.model.inputs[i].is_integer() ? append_as<int64_t>(batch_.inputs[i].values, inputs)
                                      : append_as<float>(batch_.inputs[i].values, inputs);
  }
  std::vector<int64_t> labels = batch_.targets.labels;
  labels.insert(labels.end(), batch_.targets.ends.begin(), batch_.targets.ends.end());
  protocol::Batch evidence;
  evidence.count = static_cast<int64_t>(batch_.targets.labels.size());
  evidence.ids = batches_[next_ - 1];
  evidence.inputs_sha256 = inputs.hex();
  evidence.labels_sha256 = hash_of(labels);
  return evidence;
}

double RefereeSession::test_accuracy() {
  return referee::evaluate(*network_, *testing_);
}

double RefereeSession::training_accuracy() {
  return referee::evaluate(*network_, *training_);
}

void RefereeSession::begin_inference(std::span<const BatchIds> batches) {
  begin_epoch(batches);
  outputs_.clear();
}

void RefereeSession::load_test() {
  load_from(*testing_);
}

void RefereeSession::infer() {
  network_->forward(batch_.inputs, Mode::kEvaluate);
  const auto& output = network_->output();
  correct_ += referee::count_correct(job_.model.loss, output, batch_.targets);
  samples_ += output.batch();
  outputs_.insert(outputs_.end(), output.values.begin(), output.values.end());
}

Result<Session::Answers> RefereeSession::end_inference(
    const std::optional<std::filesystem::path>& outputs) {
  if (outputs) {
    tensor::TensorMap tensors;
    tensors.emplace(
        "outputs",
        tensor::Tensor(network_->output_shape(job_.model.nodes.size() - 1, samples_), outputs_));
    CB_TRY(tensor::save_safetensors(*outputs, tensors, {}));
  }
  return Answers{correct_, samples_, std::ranges::all_of(outputs_, [](float value) {
                   return std::isfinite(value);
                 })};
}

Result<Probed> RefereeSession::probe(const ProbeStep& step) {
  return probe_step(job_, step);
}

Status RefereeSession::save(const std::filesystem::path& path) {
  return tensor::save_safetensors(path, network_->parameters_as_float32(), {});
}

}  // namespace crossbind::worker
