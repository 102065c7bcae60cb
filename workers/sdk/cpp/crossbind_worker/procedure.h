// How training and inference are run and timed (PROTOCOL.md, 'train' and 'infer'), once for all C++
// bindings. A binding supplies the pieces between the timers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/error.h"
#include "crossbind_worker/serve.h"
#include "trial/settings.h"

namespace crossbind::worker {

using BatchIds = std::vector<int64_t>;

struct EpochMetrics {
  double loss = 0;      // mean over the samples
  double accuracy = 0;  // over the batches, before each update
};

// One prepared model with its data. Methods are called in the order of the procedure.
class Session {
 public:
  virtual ~Session() = default;

  // Parameters, statistics, optimizer state and generators as prepared.
  virtual void restore() = 0;

  // Training. begin_epoch() makes a loader for these batches and forgets the metrics.
  virtual void begin_epoch(std::span<const BatchIds> batches) = 0;
  virtual void load() = 0;      // the next batch, until its tensors are on the device
  virtual void forward() = 0;   // with the loss
  virtual void backward() = 0;  // zeroes gradients, computes them, updates
  [[nodiscard]] virtual EpochMetrics end_epoch() = 0;
  virtual void synchronize() {}  // waits for the device

  // What load() put in front of the model.
  [[nodiscard]] virtual protocol::Batch evidence() = 0;

  // In evaluation mode, outside of all timers.
  [[nodiscard]] virtual double test_accuracy() = 0;
  [[nodiscard]] virtual double training_accuracy() = 0;

  // Inference over the test set in file order.
  virtual void begin_inference(std::span<const BatchIds> batches) = 0;
  virtual void load_test() = 0;
  virtual void infer() = 0;
  struct Answers {
    int64_t correct = 0;
    int64_t samples = 0;
    bool finite = true;
  };
  // Also writes the outputs when there is a path; fails only when it cannot.
  [[nodiscard]] virtual Result<Answers> end_inference(
      const std::optional<std::filesystem::path>& outputs) = 0;

  [[nodiscard]] virtual Status save(const std::filesystem::path& path) = 0;
};

// The batches of every epoch: the file of 'prepare', checked against the settings.
[[nodiscard]] Result<std::vector<std::vector<BatchIds>>> read_order(
    const std::filesystem::path& path, const trial::Settings& settings, int64_t samples);

[[nodiscard]] Result<Reply> run_training(Session& session,
                                         const trial::Settings& settings,
                                         std::span<const std::vector<BatchIds>> order,
                                         const protocol::Train& request,
                                         Conversation& conversation);

[[nodiscard]] Result<Reply> run_inference(Session& session,
                                          const trial::Settings& settings,
                                          int64_t samples,
                                          const protocol::Infer& request,
                                          Conversation& conversation);

}  // namespace crossbind::worker
