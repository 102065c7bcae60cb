// The referee's network as a session of the worker protocol.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crossbind_worker/session.h"
#include "referee/network.h"
#include "referee/training.h"

namespace crossbind::worker {

class RefereeSession : public Session {
 public:
  // Borrows the job.
  [[nodiscard]] static Result<std::unique_ptr<RefereeSession>> open(const Job& job);

  [[nodiscard]] int64_t parameters() const override { return job_.model.parameter_count(); }
  [[nodiscard]] Status restore() override;
  void begin_epoch(std::span<const BatchIds> batches) override;
  void load() override;
  void forward() override;
  void backward() override;
  [[nodiscard]] EpochMetrics end_epoch() override;
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
  [[nodiscard]] Result<Answer> query(const Samples& batch, Gradients gradients) override;

 private:
  explicit RefereeSession(const Job& job) : job_(job) {}

  void load_from(const referee::Split& split);

  const Job& job_;
  std::optional<referee::Split> training_;
  std::optional<referee::Split> testing_;
  std::unique_ptr<referee::Network<double>> network_;
  std::span<const BatchIds> batches_;
  size_t next_ = 0;
  referee::Split::Batch<double> batch_;
  double loss_ = 0;  // summed over samples
  int64_t correct_ = 0;
  int64_t samples_ = 0;
  std::vector<float> outputs_;
  uint32_t drawn_ = 0;  // steps of probes whose dropout has been drawn
};

}  // namespace crossbind::worker
