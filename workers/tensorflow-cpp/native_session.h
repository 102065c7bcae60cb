// A model that is built here, from TensorFlow's operations.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "graph_session.h"
#include "layouts.h"
#include "native_graph.h"
#include "tensorflow_session.h"

namespace crossbind::worker {

class NativeSession final : public TensorflowSession {
 public:
  [[nodiscard]] static Result<std::unique_ptr<NativeSession>> open(const Job& job, int threads);

  [[nodiscard]] int64_t parameters() const override { return parameters_; }
  [[nodiscard]] Status restore() override;
  [[nodiscard]] Status save(const std::filesystem::path& path) override;
  [[nodiscard]] Result<Probed> probe(const ProbeStep& step) override;

 private:
  NativeSession(const Job& job, int threads);

  [[nodiscard]] StepResult train_step(const NativeBatch& batch, bool with_outputs) override;
  [[nodiscard]] NativeTensor predict(const NativeBatch& batch) override;
  [[nodiscard]] Result<Answer> predict_with_gradients(const NativeBatch& batch) override;

  [[nodiscard]] Status load_parameters(const tensor::SafetensorsFile& file);
  // Zero where the file, if there is one, lacks them.
  void load_moments(const tensor::SafetensorsFile* file);
  [[nodiscard]] Feeds inputs_of(const NativeBatch& batch) const;
  [[nodiscard]] Feeds feeds_of(const NativeBatch& batch) const;  // with the targets that there are
  // Without a draw dropout is off.
  [[nodiscard]] Feeds training_feeds(const NativeBatch& batch,
                                     int64_t step,
                                     std::optional<int64_t> draw) const;
  // Those of the wanted ones that are parameters or moments, as they are now.
  [[nodiscard]] tensor::TensorMap variables(const Names& wanted);

  std::vector<Axes> axes_;  // of the parameters
  NativeGraph graph_;
  GraphSession session_;
  int64_t parameters_ = 0;
  std::optional<InputGradients> input_gradients_;  // once somebody has asked for them
  int64_t step_ = 0;                               // those done
  int64_t draws_ = 0;                              // of masks, by steps of training and of probes
};

}  // namespace crossbind::worker
