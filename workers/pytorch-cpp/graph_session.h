// A session that trains by replaying its step, the variant 'graph'. All else is as ever.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>

#include "recording.h"
#include "static_step.h"
#include "torch_session.h"

namespace crossbind::worker {

class GraphSession final : public TorchSession {
 public:
  explicit GraphSession(const Job& job) : TorchSession(job) {}

  // Records the step, when it is called first.
  [[nodiscard]] Status restore() override;
  void begin_epoch(std::span<const BatchIds> batches) override;
  void load() override;
  void forward() override {}  // the whole step is one call
  void backward() override;
  [[nodiscard]] EpochMetrics end_epoch() override;
  [[nodiscard]] protocol::Batch evidence() override;

 private:
  void record_steps();

  std::optional<StaticStep> step_;
  std::map<size_t, std::unique_ptr<Recording>> recordings_;  // by the size of the batch
  std::span<const BatchIds> batches_;
  size_t loaded_ = 0;  // of the batches
};

}  // namespace crossbind::worker
