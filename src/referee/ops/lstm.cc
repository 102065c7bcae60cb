// Long short-term memory, gates i f g o:
//   a = W x + U h + b;  i, f, o = gate(a);  g = tanh(a);  c' = f c + i g;  h' = o tanh(c').
// The layer's inside is recomputed from its input, never taken from a recorded output, so its
// forward error accumulates over the steps.
#include <utility>

#include "referee/ops/affine.h"
#include "referee/ops/factories.h"
#include "referee/ops/gate.h"

namespace crossbind::referee {
namespace {

template <typename T>
class LstmOp final : public Op<T> {
 public:
  LstmOp(const model::Lstm& layer, const Math<T>& math)
      : layer_(layer),
        math_(math),
        gate_(layer.recurrent_activation),
        input_(math, layer.in_features, 4 * layer.hidden),
        recurrent_(math, layer.hidden, 4 * layer.hidden) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    resize(x.input().shape);
    input_.forward(x.input(), x.parameter(0), biases(x), gates_);
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        math_.multiply_add(
            at_step(hidden_, t - 1), matrix(x.parameter(1)).flipped(), at_step(gates_, t));
      }
      for (int64_t n = 0; n < batch_; ++n) {
        step(n, t);
      }
    }
    out.values = hidden_.values;
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    dgates_ = Array<T>(gates_.shape);
    Array<T> dhidden({batch_, size()});
    Array<T> dcell({batch_, size()});
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      for (int64_t n = 0; n < batch_; ++n) {
        for (int64_t j = 0; j < size(); ++j) {
          const int64_t k = n * size() + j;
          step_back(n, t, j, dout[row(n, t) * size() + j] + dhidden[k], dcell[k]);
        }
      }
      math_.multiply(at_step(std::as_const(dgates_), t), matrix(x.parameter(1)), matrix(dhidden));
    }
    input_.backward(x.input(),
                    x.parameter(0),
                    dgates_,
                    gradients.inputs[0],
                    *gradients.parameters[0],
                    biases(gradients));
    recurrent_.backward(
        previous_steps(hidden_), x.parameter(1), dgates_, nullptr, *gradients.parameters[1], {});
  }

  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    const auto recurrent = absolute(x.parameter(1));
    const auto recurrent_squared = squared(x.parameter(1));
    const auto hidden = absolute(hidden_);
    auto scale = input_.size(x.input(), x.parameter(0), biases(x), gates_.shape);
    vgates_ = Array<T>(gates_.shape);
    vcells_ = vtanh_ = vhidden_ = Array<T>(cells_.shape);
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        math_.multiply_add(at_step(hidden, t - 1), matrix(recurrent).flipped(), at_step(scale, t));
        math_.multiply_add(
            at_step(vhidden_, t - 1), matrix(recurrent_squared).flipped(), at_step(vgates_, t));
      }
      for (int64_t n = 0; n < batch_; ++n) {
        step_error(n, t, scale.data() + row(n, t) * 4 * size());
      }
    }
    variance.values = vhidden_.values;
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    // Once more the gradient itself, for the values that errors are propagated along.
    const Shape state = {batch_, size()};
    Array<T> dhidden(state), dcell(state), vdhidden(state), vdcell(state);
    dgates_ = Array<T>(gates_.shape);
    Array<T> vdgates(gates_.shape);
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      for (int64_t n = 0; n < batch_; ++n) {
        for (int64_t j = 0; j < size(); ++j) {
          const int64_t k = n * size() + j;
          const int64_t o = row(n, t) * size() + j;
          const T dh = dout[o] + dhidden[k];
          const T vdh = dout_variance[o] + vdhidden[k] + square(dh);
          step_back_error(n, t, j, {dh, vdh, dcell[k], vdcell[k]}, vdgates, vdcell[k]);
          step_back(n, t, j, dh, dcell[k]);
        }
      }
      const auto d = at_step(std::as_const(dgates_), t);
      math_.multiply(d, matrix(x.parameter(1)), matrix(dhidden));
      vdhidden = Array<T>(state);
      add_product_error<T>(math_,
                           {d, at_step(vdgates, t).data},
                           {matrix(x.parameter(1))},
                           4 * size(),
                           matrix(vdhidden));
    }
    input_.backward_error({x.input()},
                          x.parameter(0),
                          {dgates_, &vdgates},
                          variances.inputs[0],
                          *variances.parameters[0],
                          biases(variances));
    const auto previous = previous_steps(hidden_);
    const auto vprevious = previous_steps(vhidden_);
    recurrent_.backward_error({previous, &vprevious},
                              x.parameter(1),
                              {dgates_, &vdgates},
                              nullptr,
                              *variances.parameters[1],
                              {});
  }

 private:
  struct Incoming {  // gradients of h' and c' and the variances of their errors
    T dh, vdh, dc, vdc;
  };

  [[nodiscard]] int64_t size() const { return layer_.hidden; }
  [[nodiscard]] int64_t row(int64_t n, int64_t t) const { return n * steps_ + t; }

  [[nodiscard]] typename Affine<T>::Biases biases(const Operands<T>& x) const {
    return {x.parameters.begin() + 2, x.parameters.end()};
  }
  [[nodiscard]] static std::vector<Array<T>*> biases(const Gradients<T>& gradients) {
    return {gradients.parameters.begin() + 2, gradients.parameters.end()};
  }

  void resize(const Shape& in) {
    batch_ = in[0];
    steps_ = in[1];
    gates_ = Array<T>({batch_, steps_, 4 * size()});
    cells_ = Array<T>({batch_, steps_, size()});
    tanh_ = hidden_ = cells_;
  }

  void step(int64_t n, int64_t t) {
    const int64_t h = size();
    T* gates = gates_.data() + row(n, t) * 4 * h;
    gate_.apply(gates, 2 * h);
    tanh_of(gates + 2 * h, gates + 2 * h, h);
    gate_.apply(gates + 3 * h, h);
    T* cell = cells_.data() + row(n, t) * h;
    for (int64_t j = 0; j < h; ++j) {
      const T before = t > 0 ? cell[j - h] : T{0};
      cell[j] = gates[h + j] * before + gates[j] * gates[2 * h + j];
    }
    T* squashed = tanh_.data() + row(n, t) * h;
    tanh_of(cell, squashed, h);
    for (int64_t j = 0; j < h; ++j) {
      hidden_[row(n, t) * h + j] = gates[3 * h + j] * squashed[j];
    }
  }

  // Writes the gradients of the four gates' arguments; dc becomes that of the cell before.
  void step_back(int64_t n, int64_t t, int64_t j, T dh, T& dc) {
    const int64_t h = size();
    const T* s = gates_.data() + row(n, t) * 4 * h + j;
    T* d = dgates_.data() + row(n, t) * 4 * h + j;
    const T squashed = tanh_[row(n, t) * h + j];
    const T before = t > 0 ? cells_[row(n, t - 1) * h + j] : T{0};
    const T i = s[0], f = s[h], g = s[2 * h], o = s[3 * h];
    dc += dh * o * (1 - squashed * squashed);
    d[0] = dc * g * gate_.slope(i);
    d[h] = dc * before * gate_.slope(f);
    d[2 * h] = dc * i * (1 - g * g);
    d[3 * h] = dh * squashed * gate_.slope(o);
    dc *= f;
  }

  void step_error(int64_t n, int64_t t, const T* scale) {
    const int64_t h = size();
    const auto terms = static_cast<T>(layer_.in_features + h + layer_.biases);
    const T* s = gates_.data() + row(n, t) * 4 * h;
    T* v = vgates_.data() + row(n, t) * 4 * h;
    for (int64_t k = 0; k < 4 * h; ++k) {
      const T argument = v[k] + terms * square(scale[k]);
      const bool is_candidate = k >= 2 * h && k < 3 * h;
      v[k] = is_candidate ? tanh_error(s[k], argument) : gate_.error(s[k], argument);
    }
    for (int64_t j = 0; j < h; ++j) {
      const int64_t k = row(n, t) * h + j;
      const T before = t > 0 ? cells_[k - h] : T{0};
      const T vbefore = t > 0 ? vcells_[k - h] : T{0};
      const T i = s[j], f = s[h + j], g = s[2 * h + j], o = s[3 * h + j];
      vcells_[k] = square(f) * vbefore + square(before) * v[h + j] + square(g) * v[j] +
                   square(i) * v[2 * h + j] + 2 * square(std::abs(f * before) + std::abs(i * g));
      vtanh_[k] = tanh_error(tanh_[k], vcells_[k]);
      vhidden_[k] = square(tanh_[k]) * v[3 * h + j] + square(o) * vtanh_[k] + square(o * tanh_[k]);
    }
  }

  // The variances of what step_back() computes; vdc becomes that of the cell before.
  void step_back_error(
      int64_t n, int64_t t, int64_t j, const Incoming& in, Array<T>& vdgates, T& vdc) {
    const int64_t h = size();
    const int64_t k = row(n, t) * h + j;
    const T* s = gates_.data() + row(n, t) * 4 * h + j;
    const T* v = vgates_.data() + row(n, t) * 4 * h + j;
    T* d = vdgates.data() + row(n, t) * 4 * h + j;
    const T y = tanh_[k], vy = vtanh_[k];
    const T before = t > 0 ? cells_[k - h] : T{0};
    const T vbefore = t > 0 ? vcells_[k - h] : T{0};
    const T i = s[0], f = s[h], g = s[2 * h], o = s[3 * h];
    const T slope = 1 - y * y;
    const T dc = in.dc + in.dh * o * slope;
    const T vdcell = in.vdc + square(o * slope) * in.vdh + square(in.dh * slope) * v[3 * h] +
                     square(2 * in.dh * o * y) * vy +
                     4 * square(std::abs(in.dc) + std::abs(in.dh * o) * (1 + y * y));
    // d = c * other * gate'(s), each factor with its own error.
    const auto through_gate = [&](T c, T vc, T other, T vother, T value, T vvalue) {
      return square(other * gate_.slope(value)) * vc + square(c * gate_.slope(value)) * vother +
             square(c * other * gate_.curvature(value)) * vvalue +
             4 * square(c * other * gate_.slope_size(value));
    };
    d[0] = through_gate(dc, vdcell, g, v[2 * h], i, v[0]);
    d[h] = through_gate(dc, vdcell, before, vbefore, f, v[h]);
    d[2 * h] = square(i * (1 - g * g)) * vdcell + square(dc * (1 - g * g)) * v[0] +
               square(2 * dc * i * g) * v[2 * h] + 4 * square(dc * i * (1 + g * g));
    d[3 * h] = through_gate(in.dh, in.vdh, y, vy, o, v[3 * h]);
    vdc = square(f) * vdcell + square(dc) * v[h] + square(dc * f);
  }

  model::Lstm layer_;
  const Math<T>& math_;
  Gate<T> gate_;
  Affine<T> input_;
  Affine<T> recurrent_;
  int64_t batch_ = 0;
  int64_t steps_ = 0;
  Array<T> gates_, cells_, tanh_, hidden_;      // of the last forward pass
  Array<T> vgates_, vcells_, vtanh_, vhidden_;  // their errors' variances, after forward_error()
  Array<T> dgates_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Lstm& layer, const Math<T>& math) {
  return std::make_unique<LstmOp<T>>(layer, math);
}

CROSSBIND_INSTANTIATE_OP(Lstm);

}  // namespace crossbind::referee
