// The quantities of a step that a worker has taken apart, each by the referee's bounds: those of
// one pass at a time, for who needs no more. judged_step.h has the step as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/model.h"
#include "referee/referee.h"
#include "referee/training.h"
#include "tensor/tensor.h"

namespace crossbind::judge {

// Where a step started, and everything that was shown of it, by the names of the protocol.
struct RecordedStep {
  bool trains = true;
  bool drops = false;       // dropout was on
  int64_t number = 1;       // from 1
  tensor::TensorMap state;  // parameters and moments before it; moments that are not there are 0
  referee::Split::Batch<double> batch;
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

  [[nodiscard]] bool is_rounding() const { return ratio <= 1; }
};

// A tensor that came, held against what it may be.
[[nodiscard]] Deviation deviation_of(const std::string& tensor,
                                     const referee::Array<double>& came,
                                     const referee::Bounded& expected,
                                     referee::Scope scope);

// The worst of them; ratio 0 where there are none.
[[nodiscard]] Deviation worst_of(const std::vector<Deviation>& deviations);

class StepJudge {
 public:
  // kUnsupported when a layer's output is not among the tensors: such a step cannot be anchored.
  // Borrows the model and the step.
  [[nodiscard]] static Result<StepJudge> open(const model::Model& model, const RecordedStep& step);

  // Lists are in the order of the graph. All but layers() are of training steps.
  [[nodiscard]] std::vector<Deviation> layers();

  struct Backward {
    Deviation loss;
    std::vector<Deviation> gradients;
  };
  [[nodiscard]] Backward backward();

  struct Updates {
    std::vector<Deviation> parameters;
    std::vector<Deviation> moments;  // that are shown
  };
  [[nodiscard]] Updates updates() const;

  [[nodiscard]] std::vector<Deviation> statistics();  // running ones

 private:
  StepJudge(const model::Model& model, const RecordedStep& step);

  [[nodiscard]] referee::Array<double> recorded(const std::string& name) const;

  const model::Model* model_;
  const RecordedStep* step_;
  // The pass points to the others, which therefore must not move.
  std::unique_ptr<referee::Network<double>> network_;
  std::unique_ptr<std::vector<referee::Array<double>>> outputs_;
  std::unique_ptr<referee::AnchoredPass> pass_;
};

}  // namespace crossbind::judge
