// Judges a step that a worker has taken apart: each layer, the loss and every gradient, every
// update and every running statistic on its own, by the referee's bounds. Says how far off each
// kind is; what follows from that is the caller's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "reference/referee.h"
#include "reference/training.h"
#include "tensor/tensor.h"

namespace crossbind::judge {

// Where a step started, and everything that was shown of it, by the names of the protocol.
struct RecordedStep {
  bool trains = true;
  int64_t number = 1;       // from 1
  tensor::TensorMap state;  // parameters and moments before it; moments that are not there are 0
  reference::Split::Batch<double> batch;
  std::optional<double> loss;
  tensor::TensorMap tensors;
};

// The element of a tensor that is worst in comparison with its bound.
struct Deviation {
  std::string tensor;
  int64_t element = 0;
  double expected = 0;
  double came = 0;
  double bound = 0;
  double ratio = 0;  // of the error to the bound

  [[nodiscard]] bool is_rounding() const { return ratio <= reference::kBoundConstant; }
};

// Of a tensor that came, held against what it may be.
[[nodiscard]] Deviation deviation_of(const std::string& tensor,
                                     const reference::Array<double>& came,
                                     const reference::Bounded& expected,
                                     reference::Scope scope);

// The worst of them; ratio 0 where there are none.
[[nodiscard]] Deviation worst_of(const std::vector<Deviation>& deviations);

class StepJudge {
 public:
  // kUnsupported when a layer's output is not among the tensors: such a step cannot be anchored.
  // Borrows the model and the step.
  [[nodiscard]] static Result<StepJudge> open(const model::Model& model, const RecordedStep& step);

  // Every tensor of a kind, in the order of the graph. Those but layers() are of training steps.
  [[nodiscard]] std::vector<Deviation> layers();
  [[nodiscard]] std::vector<Deviation> loss_and_gradients();  // "loss" first
  [[nodiscard]] std::vector<Deviation> updates() const;
  [[nodiscard]] std::vector<Deviation> statistics();  // running ones

 private:
  StepJudge(const model::Model& model, const RecordedStep& step);

  [[nodiscard]] reference::Array<double> recorded(const std::string& name) const;

  const model::Model* model_;
  const RecordedStep* step_;
  // The pass points to the others, which therefore must not move.
  std::unique_ptr<reference::Network<double>> network_;
  std::unique_ptr<std::vector<reference::Array<double>>> outputs_;
  std::unique_ptr<reference::AnchoredPass> pass_;
};

}  // namespace crossbind::judge
