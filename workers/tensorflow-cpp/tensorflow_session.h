// What both kinds of sessions share, however the model came here: batches, metrics, inference. A
// step is one run of TensorFlow's session, so that its parts cannot be told apart.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crossbind_worker/session.h"
#include "loaders.h"

namespace crossbind::worker {

// A session borrows its job.
class TensorflowSession : public Session {
 public:
  // As many threads as TensorFlow has.
  TensorflowSession(const Job& job, int threads);

  [[nodiscard]] protocol::Texts effective() const override;
  void begin_epoch(std::span<const BatchIds> batches) override;
  void load() override;
  void forward() override;
  void backward() override {}  // forward() has done it all
  [[nodiscard]] EpochMetrics end_epoch() override;
  [[nodiscard]] protocol::Batch evidence() override;
  void evaluate(Split split,
                std::span<const BatchIds> batches,
                const OnOutputs& on_outputs) override;
  void begin_inference(std::span<const BatchIds> batches) override;
  void load_test() override;
  void infer() override;
  [[nodiscard]] tensor::Tensor end_inference() override;
  [[nodiscard]] Result<Answer> query(const Samples& samples, Gradients gradients) override;

 protected:
  struct StepResult {
    NativeTensor loss;
    std::optional<NativeTensor> outputs;  // where they are asked for
  };
  // One step with its update.
  [[nodiscard]] virtual StepResult train_step(const NativeBatch& batch, bool with_outputs) = 0;
  // The last layer's output in evaluation mode.
  [[nodiscard]] virtual NativeTensor predict(const NativeBatch& batch) = 0;
  // The same, and the gradients of the summed loss.
  [[nodiscard]] virtual Result<Answer> predict_with_gradients(const NativeBatch& batch) = 0;

  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] int threads() const { return threads_; }

 private:
  void begin(std::span<const BatchIds> batches);
  void load_from(Loader& loader);

  const Job& job_;
  int threads_;
  std::unique_ptr<Loader> training_;
  std::unique_ptr<Loader> testing_;

  std::span<const BatchIds> batches_;
  size_t loaded_ = 0;  // of the batches
  NativeBatch batch_;
  // Of the steps so far, until the timer has stopped.
  std::vector<NativeTensor> losses_;
  std::vector<NativeTensor> outputs_;
  std::vector<std::vector<NativeTensor>> targets_;
};

}  // namespace crossbind::worker
