#include "static_step.h"

#include <algorithm>

#include "losses.h"

namespace crossbind::worker {

using torch::Tensor;

namespace {

std::vector<Tensor> rows_of(const std::vector<Tensor>& fields, const Tensor& rows) {
  std::vector<Tensor> picked;
  picked.reserve(fields.size());
  for (const Tensor& field : fields) {
    picked.push_back(field.index_select(0, rows));
  }
  return picked;
}

}  // namespace

Result<StaticStep> StaticStep::make(const Job& job, GraphModule& module, torch::Device device) {
  CB_ASSIGN(auto optimizer, FusedOptimizer::make(job.model, module->tensors()));
  return StaticStep(job, module, std::move(optimizer), device);
}

StaticStep::StaticStep(const Job& job,
                       GraphModule& module,
                       FusedOptimizer optimizer,
                       torch::Device device)
    : job_(job),
      module_(module),
      optimizer_(std::move(optimizer)),
      data_(whole_batch(*job.training, device)) {
  const auto steps = static_cast<int64_t>(job.order.front().size());
  const int64_t size = job.settings.batch_size;
  order_ = torch::zeros({steps, size}, torch::dtype(torch::kLong).device(device));
  place_ = torch::zeros({1}, torch::dtype(torch::kLong).device(device));
  losses_ = torch::zeros({steps}, torch::device(device));
  if (job.settings.training_accuracy == trial::TrainingAccuracy::kRunning) {
    std::vector<int64_t> shape = {steps, size};
    const auto& output = job.model.nodes.back().output;
    shape.insert(shape.end(), output.begin(), output.end());
    outputs_ = torch::zeros(shape, torch::device(device));
  }
}

void StaticStep::begin(std::span<const BatchIds> batches) {
  const Tensor host = torch::zeros(order_.sizes(), torch::kLong);
  auto* row = host.data_ptr<int64_t>();
  for (const BatchIds& ids : batches) {
    std::ranges::copy(ids, row);
    row += order_.size(1);
  }
  order_.copy_(host);
  rewind();
}

TorchBatch StaticStep::batch(int64_t samples) const {
  const Tensor rows = order_.index_select(0, place_).select(0, 0).narrow(0, 0, samples);
  return {rows_of(data_.inputs, rows), rows_of(data_.targets, rows)};
}

void StaticStep::run(int64_t samples) {
  const TorchBatch now = batch(samples);
  optimizer_.zero_grad();
  const Tensor outputs = module_(now.inputs);
  const Tensor loss = loss_of(job_.model.loss, outputs, now.targets);
  loss.backward();
  optimizer_.step();
  const torch::NoGradGuard no_grad;
  losses_.index_copy_(0, place_, loss.detach().view({1}));
  if (outputs_.defined()) {
    outputs_.narrow(1, 0, samples).index_copy_(0, place_, outputs.detach().unsqueeze(0));
  }
  place_.add_(1);
}

EpochMetrics StaticStep::metrics(std::span<const BatchIds> batches) const {
  const Tensor losses = losses_.to(torch::kCPU);
  double loss = 0;
  double samples = 0;
  int64_t correct = 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    const auto step = static_cast<int64_t>(i);
    const auto count = static_cast<int64_t>(batches[i].size());
    loss += static_cast<double>(losses.data_ptr<float>()[i]) * static_cast<double>(count);
    samples += static_cast<double>(count);
    if (outputs_.defined()) {
      const Tensor rows = order_.select(0, step).narrow(0, 0, count);
      correct += score(job_.model.loss,
                       outputs_.select(0, step).narrow(0, 0, count),
                       rows_of(data_.targets, rows))
                     .correct;
    }
  }
  return {loss / samples, static_cast<double>(correct) / samples};
}

}  // namespace crossbind::worker
