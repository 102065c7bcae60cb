#include "tensorflow_session.h"

#include "base/digest.h"
#include "crossbind_worker/scoring.h"
#include "layouts.h"

namespace crossbind::worker {
namespace {

std::string hash_of(const std::vector<NativeTensor>& tensors) {
  Sha256 hash;
  for (const NativeTensor& each : tensors) {
    hash.update(batch_to_canonical(each).view().bytes);
  }
  return hash.hex();
}

// Batches of outputs as one tensor; outputs that have a loss are no images.
tensor::Tensor joined(const std::vector<NativeTensor>& batches) {
  tensor::Shape shape = batches.front().view().shape;
  shape[0] = 0;
  std::vector<float> values;
  for (const NativeTensor& each : batches) {
    const tensor::TensorView view = each.view();
    const auto* begin = reinterpret_cast<const float*>(view.bytes.data());
    values.insert(values.end(), begin, begin + view.bytes.size() / sizeof(float));
    shape[0] += view.shape[0];
  }
  return {shape, values};
}

}  // namespace

TensorflowSession::TensorflowSession(const Job& job, int threads) : job_(job), threads_(threads) {
  const auto loader = [&](const std::optional<Samples>& samples) {
    return samples ? make_loader(job.settings.loader, *samples, threads) : nullptr;
  };
  training_ = loader(job.training);
  testing_ = loader(job.testing);
}

protocol::Texts TensorflowSession::effective() const {
  return threads_ == job_.settings.threads ? protocol::Texts()
                                           : protocol::Texts{{"threads", std::to_string(threads_)}};
}

void TensorflowSession::begin(std::span<const BatchIds> batches) {
  batches_ = batches;
  loaded_ = 0;
  losses_.clear();
  outputs_.clear();
  targets_.clear();
}

void TensorflowSession::load_from(Loader& loader) {
  batch_ = loader.rows(batches_[loaded_]);
  ++loaded_;
}

void TensorflowSession::begin_epoch(std::span<const BatchIds> batches) {
  begin(batches);
}

void TensorflowSession::load() {
  load_from(*training_);
}

void TensorflowSession::forward() {
  const bool is_running = job_.settings.training_accuracy == trial::TrainingAccuracy::kRunning;
  StepResult result = train_step(batch_, is_running);
  losses_.push_back(std::move(result.loss));
  if (result.outputs) {
    outputs_.push_back(std::move(*result.outputs));
    targets_.push_back(batch_.targets);
  }
}

EpochMetrics TensorflowSession::end_epoch() {
  double loss = 0;
  double samples = 0;
  for (size_t i = 0; i < losses_.size(); ++i) {
    const auto count = static_cast<double>(batches_[i].size());
    loss += static_cast<double>(losses_[i].number()) * count;
    samples += count;
  }
  int64_t correct = 0;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    correct += score(job_.model.loss, outputs_[i].view(), views_of(targets_[i])).correct;
  }
  return {loss / samples, static_cast<double>(correct) / samples};
}

protocol::Batch TensorflowSession::evidence() {
  protocol::Batch evidence;
  evidence.count = batch_.targets.front().view().shape[0];
  evidence.ids = batches_[loaded_ - 1];
  evidence.inputs_sha256 = hash_of(batch_.inputs);
  evidence.labels_sha256 = hash_of(batch_.targets);
  return evidence;
}

void TensorflowSession::evaluate(Split split,
                                 std::span<const BatchIds> batches,
                                 const OnOutputs& on_outputs) {
  Loader& loader = split == Split::kTraining ? *training_ : *testing_;
  for (const BatchIds& ids : batches) {
    on_outputs(predict(loader.rows(ids)).view());
  }
}

void TensorflowSession::begin_inference(std::span<const BatchIds> batches) {
  begin(batches);
}

void TensorflowSession::load_test() {
  load_from(*testing_);
}

void TensorflowSession::infer() {
  outputs_.push_back(predict(batch_));
}

tensor::Tensor TensorflowSession::end_inference() {
  return joined(outputs_);
}

Result<Answer> TensorflowSession::query(const Samples& samples, Gradients gradients) {
  const NativeBatch batch = whole_batch(samples);
  if (gradients == Gradients::kOfInputs) {
    return predict_with_gradients(batch);
  }
  return Answer{.outputs = batch_to_canonical(predict(batch)), .gradients = {}};
}

}  // namespace crossbind::worker
