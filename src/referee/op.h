// One layer of the referee at work. An Op computes a layer forward and backward, keeps between the
// two what the backward pass needs, and knows the size of the rounding error that a correct float32
// implementation may make.
//
// Errors are variances in units of u^2, u = 2^-24, element by element:
//   forward_error   what one layer adds when its input is exact (the referee is given the recorded
//                   input), everything inside the layer included;
//   backward_error  what the layer adds to, and passes on of, the error of the gradient above it.
// Locally the variance is K S^2 (K summed terms, S the same operation on absolute values); between
// layers independent errors add by squares, as in the probabilistic analysis of Higham and Mary, "A
// new approach to probabilistic rounding error analysis" (SIAM J. Sci. Comput. 41, 2019).
#pragma once

#include <memory>
#include <vector>

#include "model/layer.h"
#include "referee/array.h"
#include "referee/math.h"

namespace crossbind::referee {

enum class Mode { kTrain, kEvaluate };

// A transcendental function may be off by 8 ulp = 16 u. Bounds are kBoundConstant (32) times the
// unit error, so that part enters the unit as 16 / 32 of the value.
inline constexpr double kTranscendental = 0.5;

template <typename T>
struct Operands {
  std::vector<const Array<T>*> inputs;
  std::vector<Array<T>*> parameters;  // only buffers are ever written, by update_buffers()
  Mode mode = Mode::kTrain;

  [[nodiscard]] const Array<T>& input(size_t i = 0) const { return *inputs[i]; }
  [[nodiscard]] const Array<T>& parameter(size_t i) const { return *parameters[i]; }
};

// Where gradients, or their variances, are added up. A null input is not wanted.
template <typename T>
struct Gradients {
  std::vector<Array<T>*> inputs;
  std::vector<Array<T>*> parameters;
};

template <typename T>
class Op {
 public:
  Op() = default;
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  virtual ~Op() = default;

  // What was drawn at random, read from the recorded output of a pass in training: the next
  // forward() does the same. Nothing for layers that draw nothing.
  virtual void take_draw(const Operands<T>&, const Array<T>& /*recorded*/) {}

  // out has its shape already and is zero.
  virtual void forward(const Operands<T>& x, Array<T>& out) = 0;

  // After forward() on the same operands. out may be a recorded output instead of the computed one.
  virtual void backward(const Operands<T>& x,
                        const Array<T>& out,
                        const Array<T>& dout,
                        const Gradients<T>& gradients) = 0;

  // After forward(). variance has the shape of out and is zero.
  virtual void forward_error(const Operands<T>& x, const Array<T>& out, Array<T>& variance) = 0;

  // After forward() and forward_error(), whose findings about the layer's inside it uses.
  virtual void backward_error(const Operands<T>& x,
                              const Array<T>& out,
                              const Array<T>& dout,
                              const Array<T>& dout_variance,
                              const Gradients<T>& variances) = 0;

  // New running statistics after a forward pass in training; nothing for most layers.
  virtual void update_buffers(const Operands<T>&) {}

  // The variances of the new running statistics, by parameter. After forward_error().
  virtual void buffer_error(const Operands<T>&, const std::vector<Array<T>*>&) {}
};

template <typename T>
using OpPointer = std::unique_ptr<Op<T>>;

// Dropout masks come from this seed and the number of the step.
struct DropoutSource {
  bool enabled = true;
  uint32_t seed = 0;
  uint32_t step = 0;
};

// The op for a layer. The math and the dropout source must outlive it; node is the layer's number.
template <typename T>
[[nodiscard]] OpPointer<T> make_op(const model::Layer& layer,
                                   const Math<T>& math,
                                   const DropoutSource& dropout,
                                   uint32_t node);

}  // namespace crossbind::referee
