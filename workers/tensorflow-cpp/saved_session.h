// A model that came as a SavedModel of tensorflow/python. It infers by the signature
// 'serving_default' and trains by 'train_step', where it has one; 'parameters' gives the
// parameters.
#pragma once

#include <memory>
#include <string>

#include "saved_model.h"
#include "tensorflow_session.h"

namespace crossbind::worker {

class SavedSession final : public TensorflowSession {
 public:
  // Fails when the folder is not of the job's model.
  [[nodiscard]] static Result<std::unique_ptr<SavedSession>> open(const Job& job, int threads);

  [[nodiscard]] int64_t parameters() const override { return job().model.parameter_count(); }
  [[nodiscard]] Status restore() override;
  [[nodiscard]] Status save(const std::filesystem::path& path) override;
  // In evaluation mode; only what comes out in the end can be seen.
  [[nodiscard]] Result<Probed> probe(const ProbeStep& step) override;

 private:
  SavedSession(const Job& job, int threads, SavedModel model);

  [[nodiscard]] StepResult train_step(const NativeBatch& batch, bool with_outputs) override;
  [[nodiscard]] NativeTensor predict(const NativeBatch& batch) override;
  [[nodiscard]] Result<Answer> predict_with_gradients(const NativeBatch& batch) override;

  [[nodiscard]] Feeds inputs_of(const NativeBatch& batch) const;

  SavedModel model_;
};

}  // namespace crossbind::worker
