// A model in libtorch as a session of the worker protocol, built from its layers or loaded from a
// TorchScript file. The SDK refuses to train the latter.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crossbind_worker/session.h"
#include "graph_module.h"
#include "loaders.h"

namespace crossbind::worker {

class TorchSession : public Session {
 public:
  // Borrows the job.
  [[nodiscard]] static Result<std::unique_ptr<TorchSession>> open(const Job& job);

  [[nodiscard]] int64_t parameters() const override { return parameters_; }
  [[nodiscard]] protocol::Texts effective() const override;
  [[nodiscard]] Status restore() override;
  void begin_epoch(std::span<const BatchIds> batches) override;
  void load() override;
  void forward() override;
  void backward() override;
  [[nodiscard]] EpochMetrics end_epoch() override;
  void synchronize() override;
  [[nodiscard]] protocol::Batch evidence() override;
  void evaluate(Split split,
                std::span<const BatchIds> batches,
                const OnOutputs& on_outputs) override;
  void begin_inference(std::span<const BatchIds> batches) override;
  void load_test() override;
  void infer() override;
  [[nodiscard]] tensor::Tensor end_inference() override;
  [[nodiscard]] Status save(const std::filesystem::path& path) override;
  [[nodiscard]] Result<Probed> probe(const ProbeStep& step) override;
  [[nodiscard]] Result<Answer> query(const Samples& samples, Gradients gradients) override;

 protected:
  explicit TorchSession(const Job& job);

  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] GraphModule& module() { return module_; }
  [[nodiscard]] torch::Device device() const { return device_; }
  [[nodiscard]] static protocol::Batch evidence_of(const TorchBatch& batch, const BatchIds& ids);

 private:
  [[nodiscard]] Status build();
  void begin(Loader& loader, std::span<const BatchIds> batches);
  void load_from(Loader& loader);
  // In evaluation mode; with gradients where the caller has them on.
  [[nodiscard]] torch::Tensor outputs_of(const TorchBatch& batch);
  [[nodiscard]] torch::Tensor predict(const TorchBatch& batch);

  const Job& job_;
  torch::Device device_;
  int64_t parameters_ = 0;
  GraphModule module_{nullptr};  // one of the two is there
  std::optional<torch::jit::Module> script_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::unique_ptr<Loader> training_;
  std::unique_ptr<Loader> testing_;

  std::span<const BatchIds> batches_;
  size_t loaded_ = 0;  // of the batches
  TorchBatch batch_;
  torch::Tensor loss_;
  // Of the steps so far, on the device until the timer has stopped.
  std::vector<torch::Tensor> losses_;
  std::vector<torch::Tensor> outputs_;
  std::vector<std::vector<torch::Tensor>> targets_;
};

}  // namespace crossbind::worker
