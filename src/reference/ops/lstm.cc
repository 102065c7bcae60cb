// Long short-term memory, gates i f g o:
//   a = W x + U h + b;  i, f, o = gate(a);  g = tanh(a);  c' = f c + i g;  h' = o tanh(c').
// The layer's inside is recomputed from its input, never taken from a recorded output, so its
// forward error accumulates over the steps.
#include "reference/ops/factories.h"
#include "reference/ops/gate.h"

namespace crossbind::reference {
namespace {

template <typename T>
class LstmOp final : public Op<T> {
 public:
  LstmOp(const model::Lstm& layer, const Math<T>& math)
      : layer_(layer),
        math_(math),
        gate_(layer.recurrent_activation) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    resize(x.input().shape);
    project_input(x.input(), x.parameter(0), gates_);
    for (int b = 0; b < layer_.biases; ++b) {
      add_bias(x.parameter(2 + static_cast<size_t>(b)), false, gates_);
    }
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        math_.multiply(batch_,
                       4 * size(),
                       size(),
                       {at(hidden_, t - 1), steps_ * size()},
                       {x.parameter(1).data(), size(), true},
                       at(gates_, t),
                       4 * steps_ * size(),
                       true);
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
          step_back(n,
                    t,
                    j,
                    dout[row(n, t) * size() + j] + dhidden[n * size() + j],
                    dcell[n * size() + j]);
        }
      }
      math_.multiply(batch_,
                     size(),
                     4 * size(),
                     {at(dgates_, t), 4 * steps_ * size()},
                     {x.parameter(1).data(), size()},
                     dhidden.data(),
                     size(),
                     false);
    }
    const int64_t rows = batch_ * steps_;
    if (auto* dx = gradients.inputs[0]) {
      math_.multiply(rows,
                     ins(),
                     4 * size(),
                     {dgates_.data(), 4 * size()},
                     {x.parameter(0).data(), ins()},
                     dx->data(),
                     ins(),
                     true);
    }
    math_.multiply(4 * size(),
                   ins(),
                   rows,
                   {dgates_.data(), 4 * size(), true},
                   {x.input().data(), ins()},
                   gradients.parameters[0]->data(),
                   ins(),
                   true);
    const auto previous = previous_steps(hidden_);
    math_.multiply(4 * size(),
                   size(),
                   rows,
                   {dgates_.data(), 4 * size(), true},
                   {previous.data(), size()},
                   gradients.parameters[1]->data(),
                   size(),
                   true);
    for (int b = 0; b < layer_.biases; ++b) {
      add_column_sums(math_, dgates_, *gradients.parameters[2 + static_cast<size_t>(b)]);
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    const auto inputs = absolute(x.input());
    const auto weights = absolute(x.parameter(0));
    const auto recurrent = absolute(x.parameter(1));
    const auto recurrent_squared = squared(x.parameter(1));
    const auto hidden = absolute(hidden_);
    Array<T> scale(gates_.shape);
    project_input(inputs, weights, scale);
    for (int b = 0; b < layer_.biases; ++b) {
      add_bias(x.parameter(2 + static_cast<size_t>(b)), true, scale);
    }
    vgates_ = Array<T>(gates_.shape);
    vcells_ = vtanh_ = vhidden_ = Array<T>(cells_.shape);
    const auto terms = static_cast<T>(ins() + size() + layer_.biases);
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        math_.multiply(batch_,
                       4 * size(),
                       size(),
                       {at(hidden, t - 1), steps_ * size()},
                       {recurrent.data(), size(), true},
                       at(scale, t),
                       4 * steps_ * size(),
                       true);
        math_.multiply(batch_,
                       4 * size(),
                       size(),
                       {at(vhidden_, t - 1), steps_ * size()},
                       {recurrent_squared.data(), size(), true},
                       at(vgates_, t),
                       4 * steps_ * size(),
                       true);
      }
      for (int64_t n = 0; n < batch_; ++n) {
        step_error(n, t, at(scale, t) + n * 4 * steps_ * size(), terms);
      }
    }
    variance.values = vhidden_.values;
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>& out,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    // Once more the gradient itself, for the values that errors are propagated along.
    Array<T> dhidden({batch_, size()}), dcell({batch_, size()}), vdhidden({batch_, size()}),
        vdcell({batch_, size()});
    (void)out;
    dgates_ = Array<T>(gates_.shape);
    Array<T> vdgates(gates_.shape);
    const Operand<T> recurrent{x.parameter(1).data(), size()};
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
      math_.multiply(batch_,
                     size(),
                     4 * size(),
                     {at(dgates_, t), 4 * steps_ * size()},
                     recurrent,
                     dhidden.data(),
                     size(),
                     false);
      std::ranges::fill(vdhidden.values, T{0});
      add_product_error<T>(math_,
                           batch_,
                           size(),
                           4 * size(),
                           {at(dgates_, t), 4 * steps_ * size()},
                           at(vdgates, t),
                           recurrent,
                           nullptr,
                           vdhidden.data(),
                           size(),
                           4 * size());
    }
    const int64_t rows = batch_ * steps_;
    if (auto* vdx = variances.inputs[0]) {
      add_product_error<T>(math_,
                           rows,
                           ins(),
                           4 * size(),
                           {dgates_.data(), 4 * size()},
                           vdgates.data(),
                           {x.parameter(0).data(), ins()},
                           nullptr,
                           vdx->data(),
                           ins(),
                           4 * size());
    }
    add_product_error<T>(math_,
                         4 * size(),
                         ins(),
                         rows,
                         {dgates_.data(), 4 * size(), true},
                         vdgates.data(),
                         {x.input().data(), ins()},
                         nullptr,
                         variances.parameters[0]->data(),
                         ins(),
                         rows);
    const auto previous = previous_steps(hidden_);
    const auto vprevious = previous_steps(vhidden_);
    add_product_error<T>(math_,
                         4 * size(),
                         size(),
                         rows,
                         {dgates_.data(), 4 * size(), true},
                         vdgates.data(),
                         {previous.data(), size()},
                         vprevious.data(),
                         variances.parameters[1]->data(),
                         size(),
                         rows);
    for (int b = 0; b < layer_.biases; ++b) {
      add_column_sums_error(
          math_, dgates_, vdgates, *variances.parameters[2 + static_cast<size_t>(b)]);
    }
  }

 private:
  struct Incoming {  // gradients of h' and c' and the variances of their errors
    T dh, vdh, dc, vdc;
  };

  [[nodiscard]] int64_t size() const { return layer_.hidden; }
  [[nodiscard]] int64_t ins() const { return layer_.in_features; }
  [[nodiscard]] int64_t row(int64_t n, int64_t t) const { return n * steps_ + t; }
  // The first sample's row of step t in a [batch, steps, width] array.
  [[nodiscard]] static T* at(Array<T>& array, int64_t t) {
    return array.data() + t * array.shape[2];
  }
  [[nodiscard]] static const T* at(const Array<T>& array, int64_t t) {
    return array.data() + t * array.shape[2];
  }

  void resize(const Shape& in) {
    batch_ = in[0];
    steps_ = in[1];
    gates_ = Array<T>({batch_, steps_, 4 * size()});
    cells_ = Array<T>({batch_, steps_, size()});
    tanh_ = hidden_ = cells_;
  }

  void project_input(const Array<T>& in, const Array<T>& weight, Array<T>& gates) const {
    math_.multiply(batch_ * steps_,
                   4 * size(),
                   ins(),
                   {in.data(), ins()},
                   {weight.data(), ins(), true},
                   gates.data(),
                   4 * size(),
                   true);
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

  void step_error(int64_t n, int64_t t, const T* scale, T terms) {
    const int64_t h = size();
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

}  // namespace crossbind::reference
