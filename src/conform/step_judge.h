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

namespace crossbind::conform {

// Where a step started, and everything that was shown of it, by the names of the protocol.
struct RecordedStep {
  bool trains = true;
  int64_t number = 1;       // from 1
  tensor::TensorMap state;  // parameters and moments before it; moments that are not there are 0
  reference::Split::Batch<double> batch;
  std::optional<double> loss;
  tensor::TensorMap tensors;
};

// The element that is worst in comparison with its bound.
struct Deviation {
  std::string tensor;
  int64_t element = 0;
  double expected = 0;
  double came = 0;
  double bound = 0;
  double ratio = 0;  // of the error to the bound

  [[nodiscard]] bool is_rounding() const { return ratio <= reference::kBoundConstant; }
};

class StepJudge {
 public:
  // kUnsupported when a layer's output is not among the tensors: such a step cannot be anchored.
  // Borrows the model and the step.
  [[nodiscard]] static Result<StepJudge> open(const model::Model& model, const RecordedStep& step);

  // The worst of each kind. Those but layers() are of training steps.
  [[nodiscard]] Deviation layers();
  [[nodiscard]] Deviation loss_and_gradients();
  [[nodiscard]] Deviation updates() const;
  [[nodiscard]] Deviation statistics();  // running ones; ratio 0 where there are none

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

}  // namespace crossbind::conform
