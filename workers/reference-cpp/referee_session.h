// The referee's network as a session of the worker protocol.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crossbind_worker/procedure.h"
#include "model/model.h"
#include "reference/network.h"
#include "reference/training.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {

// What 'prepare' gave: a model, its first parameters and, unless only probing is wanted, data.
struct Material {
  model::Model model;
  tensor::TensorMap weights;
  std::optional<tensor::SafetensorsFile> data;
  std::optional<reference::Split> training;
  std::optional<reference::Split> testing;
};

[[nodiscard]] Result<Material> read_material(const protocol::Prepare& request);

class RefereeSession : public Session {
 public:
  // Borrows the material, whose weights must fit its model; training and inference need its data.
  RefereeSession(const Material& material, const trial::Settings& settings);

  void restore() override;
  void begin_epoch(std::span<const BatchIds> batches) override;
  void load() override;
  void forward() override;
  void backward() override;
  [[nodiscard]] EpochMetrics end_epoch() override;
  [[nodiscard]] protocol::Batch evidence() override;
  [[nodiscard]] double test_accuracy() override;
  [[nodiscard]] double training_accuracy() override;
  void begin_inference(std::span<const BatchIds> batches) override;
  void load_test() override;
  void infer() override;
  [[nodiscard]] Result<Answers> end_inference(
      const std::optional<std::filesystem::path>& outputs) override;
  [[nodiscard]] Status save(const std::filesystem::path& path) override;

 private:
  void load_from(const reference::Split& split);

  const Material& material_;
  trial::Settings settings_;
  std::unique_ptr<reference::Network<double>> network_;
  std::span<const BatchIds> batches_;
  size_t next_ = 0;
  reference::Split::Batch<double> batch_;
  double loss_ = 0;  // summed over samples
  int64_t correct_ = 0;
  int64_t samples_ = 0;
  std::vector<float> outputs_;
};

}  // namespace crossbind::worker
