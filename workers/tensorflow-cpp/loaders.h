// Batches in TensorFlow's layout, by either loader.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "crossbind_worker/job.h"
#include "native_tensor.h"
#include "trial/settings.h"

namespace crossbind::worker {

// In the order of the model.
struct NativeBatch {
  std::vector<NativeTensor> inputs;
  std::vector<NativeTensor> targets;  // labels, or starts and ends
};

// All samples as one batch.
[[nodiscard]] NativeBatch whole_batch(const Samples& samples);

// Of one split of the data.
class Loader {
 public:
  virtual ~Loader() = default;
  [[nodiscard]] virtual NativeBatch rows(const BatchIds& ids) = 0;
};

[[nodiscard]] std::unique_ptr<Loader> make_loader(trial::Loader kind,
                                                  const Samples& samples,
                                                  int threads);

}  // namespace crossbind::worker
