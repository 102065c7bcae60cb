// Training a model with the referee: batches gathered from a converted data set, epochs, accuracy.
// Which samples make up a batch is the caller's (data/batch_order.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "referee/network.h"
#include "tensor/safetensors.h"

namespace crossbind::referee {

// One split of a data set, checked against a model: every field there, every shape, token and label
// in range. Borrows the file.
class Split {
 public:
  // limit: use only the first so many samples; 0 means all.
  [[nodiscard]] static Result<Split> open(const tensor::SafetensorsFile& file,
                                          const std::string& name,
                                          const model::Model& model,
                                          int64_t limit);

  [[nodiscard]] int64_t size() const { return size_; }

  template <typename T>
  struct Batch {
    std::vector<Array<T>> inputs;
    Targets targets;
  };
  template <typename T>
  [[nodiscard]] Batch<T> gather(std::span<const int64_t> ids) const;

 private:
  struct Field {
    Shape sample;
    std::span<const float> floats;  // one of the two is empty
    std::span<const int64_t> integers;
  };

  [[nodiscard]] static Result<Field> open_field(const tensor::SafetensorsFile& file,
                                                const std::string& name,
                                                const model::Input& input);
  [[nodiscard]] Status open_targets(const tensor::SafetensorsFile& file,
                                    const std::string& name,
                                    const model::Model& model);

  std::vector<Field> inputs_;
  std::vector<std::span<const int64_t>> targets_;  // those of the loss, in its order
  int64_t size_ = 0;
};

struct EpochResult {
  double loss = 0;      // mean over the samples
  double accuracy = 0;  // over the epoch's batches, before each update
};

using BatchOrder = std::vector<std::vector<int64_t>>;
using AfterBatch = std::function<void(int64_t samples_done)>;  // for progress; may be empty

[[nodiscard]] EpochResult train_epoch(Network<double>& network,
                                      const Split& split,
                                      const BatchOrder& order,
                                      const AfterBatch& after_batch);

// Over the whole split, in evaluation mode.
struct Score {
  double accuracy = 0;
  double loss = 0;  // mean over the samples
};
[[nodiscard]] Score score(Network<double>& network, const Split& split);

// The accuracy of it.
[[nodiscard]] double evaluate(Network<double>& network, const Split& split);

}  // namespace crossbind::referee
