// A model of a binding, prepared: what differs between bindings. Everything around it, order and
// timers included, is the procedures' (procedure.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "crossbind_worker/job.h"
#include "protocol/messages.h"
#include "tensor/tensor.h"

namespace crossbind::worker {

struct EpochMetrics {
  double loss = 0;      // mean over the samples
  double accuracy = 0;  // over the batches, before each update
};

enum class Split { kTraining, kTesting };

// One step to be taken apart.
struct ProbeStep {
  bool is_training = false;  // else it only goes forward
  // Draws as in training. The generators go on from one probe to the next; they are seeded when the
  // model is prepared.
  bool has_dropout = false;
  int64_t number = 1;  // of the step; those before it are as if done
  // Parameters, and '<parameter>.state.m' and '.v'; moments that are not there are 0. Null: the
  // parameters as prepared.
  const tensor::SafetensorsFile* state = nullptr;
  const Samples& batch;  // labels are there at least in training
  const std::vector<std::string>& wanted;
};

struct Probed {
  tensor::TensorMap tensors;   // those of the wanted ones that there are, float32
  std::optional<double> loss;  // where there are labels
};

enum class Gradients { kNone, kOfInputs };

// What a model gives for a batch in evaluation mode; float32, canonical layout.
struct Answer {
  tensor::Tensor outputs;
  // By the names of the inputs that are not of integers, where they are wanted: of the sum over the
  // samples of their losses.
  tensor::TensorMap gradients;
};

// Methods are called in the order of the procedure.
class Session {
 public:
  virtual ~Session() = default;

  // How many numbers were built, running statistics included.
  [[nodiscard]] virtual int64_t parameters() const = 0;
  // Settings that are not as requested. Conventions of the manifest are not of its concern.
  [[nodiscard]] virtual protocol::Texts effective() const { return {}; }

  // Parameters, statistics, optimizer state and generators as prepared. Fails with kUnsupported
  // where the binding cannot train this.
  [[nodiscard]] virtual Status restore() = 0;

  // Training. begin_epoch() makes a loader for these batches and forgets the metrics.
  virtual void begin_epoch(std::span<const BatchIds> batches) = 0;
  virtual void load() = 0;      // the next batch, until its tensors are on the device
  virtual void forward() = 0;   // with the loss
  virtual void backward() = 0;  // zeroes gradients, computes them, updates
  [[nodiscard]] virtual EpochMetrics end_epoch() = 0;
  virtual void synchronize() {}  // waits for the device

  // What load() put in front of the model.
  [[nodiscard]] virtual protocol::Batch evidence() = 0;

  // In evaluation mode, outside of all timers: hands over the outputs of these batches, one after
  // the other, on the host; float32 or float64, batch first.
  using OnOutputs = std::function<void(const tensor::TensorView& outputs)>;
  virtual void evaluate(Split split,
                        std::span<const BatchIds> batches,
                        const OnOutputs& on_outputs) = 0;

  // Inference over the test set in file order.
  virtual void begin_inference(std::span<const BatchIds> batches) = 0;
  virtual void load_test() = 0;
  virtual void infer() = 0;
  // The outputs of all batches as one, float32.
  [[nodiscard]] virtual tensor::Tensor end_inference() = 0;

  [[nodiscard]] virtual Status save(const std::filesystem::path& path) = 0;

  // Leaves parameters behind that are nobody's.
  [[nodiscard]] virtual Result<Probed> probe(const ProbeStep& step) = 0;

  // With the parameters that are in force, and without a trace: many come one after another. The
  // batch has targets where gradients are wanted. Fails with kUnsupported where the binding has
  // none of this model.
  [[nodiscard]] virtual Result<Answer> query(const Samples& batch, Gradients gradients) = 0;
};

}  // namespace crossbind::worker
