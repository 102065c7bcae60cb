#include "referee_session.h"

#include <algorithm>

#include "base/digest.h"
#include "batch.h"
#include "probe.h"
#include "referee/rounding.h"
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

// The engine's gradients are those of the mean over the samples; it has none of an input that the
// loss does not depend on.
tensor::Tensor of_the_sum(const referee::Array<double>& gradient,
                          const tensor::Shape& shape,
                          int64_t samples) {
  std::vector<float> values(static_cast<size_t>(referee::count_of(shape)), 0);
  std::ranges::transform(gradient.values, values.begin(), [&](double value) {
    return static_cast<float>(value * static_cast<double>(samples));
  });
  return {shape, values};
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
  drawn_ = 0;
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

void RefereeSession::evaluate(Split split,
                              std::span<const BatchIds> batches,
                              const OnOutputs& on_outputs) {
  const referee::Split& samples = split == Split::kTraining ? *training_ : *testing_;
  for (const BatchIds& ids : batches) {
    network_->forward(samples.gather<double>(ids).inputs, Mode::kEvaluate);
    const auto& output = network_->output();
    on_outputs({tensor::DType::kF64, output.shape, std::as_bytes(std::span(output.values))});
  }
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
  samples_ += output.batch();
  outputs_.insert(outputs_.end(), output.values.begin(), output.values.end());
}

tensor::Tensor RefereeSession::end_inference() {
  return {network_->output_shape(job_.model.nodes.size() - 1, samples_), outputs_};
}

Result<Probed> RefereeSession::probe(const ProbeStep& step) {
  const referee::DropoutSource dropout{
      .enabled = step.has_dropout, .seed = job_.settings.seed, .step = drawn_};
  drawn_ += step.has_dropout ? 1 : 0;
  return probe_step(job_, step, dropout);
}

Result<Answer> RefereeSession::query(const Samples& batch, Gradients gradients) {
  CB_ASSIGN(const auto inputs, inputs_of(batch));
  network_->forward(inputs, Mode::kEvaluate);
  Answer answer{.outputs = referee::as_float32(network_->output()), .gradients = {}};
  if (gradients == Gradients::kOfInputs) {
    CB_ASSIGN(const referee::Targets targets, targets_of(batch));
    network_->backward(inputs, targets, referee::InputGradients::kWanted);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const model::Input& input = job_.model.inputs[i];
      if (!input.is_integer()) {
        answer.gradients.emplace(
            input.name, of_the_sum(network_->input_gradient(i), inputs[i].shape, batch.size));
      }
    }
  }
  return answer;
}

Status RefereeSession::save(const std::filesystem::path& path) {
  return tensor::save_safetensors(path, network_->parameters_as_float32(), {});
}

}  // namespace crossbind::worker
