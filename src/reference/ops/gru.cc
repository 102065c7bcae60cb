// Gated recurrent unit, gates r z n, both places of the reset gate:
//   r, z = gate(W x + U h + b);  h' = (1 - z) n + z h
//   reset_after:  n = tanh(p + r q),  p = W x + b_ih,  q = U h + b_hh
//   otherwise:    n = tanh(p + q),    p = W x + b_ih,  q = U (r h) + b_hh
#include "reference/ops/factories.h"
#include "reference/ops/gate.h"

namespace crossbind::reference {
namespace {

template <typename T>
class GruOp final : public Op<T> {
 public:
  GruOp(const model::Gru& layer, const Math<T>& math)
      : layer_(layer),
        math_(math),
        gate_(layer.recurrent_activation) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    resize(x.input().shape);
    math_.multiply(batch_ * steps_,
                   3 * size(),
                   ins(),
                   {x.input().data(), ins()},
                   {x.parameter(0).data(), ins(), true},
                   gates_.data(),
                   3 * size(),
                   true);
    add_bias(x.parameter(2), false, gates_);
    if (layer_.biases == 2) {
      add_bias(x.parameter(3), false, recurrent_);
    }
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        multiply_recurrent(at(hidden_, t - 1), x.parameter(1), 0, gate_width(), recurrent_, t);
      }
      for (int64_t n = 0; n < batch_; ++n) {
        open_gates(n, t);
      }
      if (!layer_.reset_after && t > 0) {
        multiply_recurrent(at(reset_, t), x.parameter(1), 2 * size(), size(), recurrent_, t);
      }
      for (int64_t n = 0; n < batch_; ++n) {
        next_state(n, t);
      }
    }
    out.values = hidden_.values;
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    dgates_ = drecurrent_ = Array<T>(gates_.shape);
    Array<T> dhidden({batch_, size()});
    Array<T> dreset({batch_, size()});
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      back_through_candidate(t, dout, dhidden);
      if (!layer_.reset_after) {
        multiply_transposed(drecurrent_, t, x.parameter(1), 2 * size(), size(), dreset, false);
      }
      back_through_gates(t, dreset, dhidden);
      multiply_transposed(drecurrent_, t, x.parameter(1), 0, gate_width(), dhidden, true);
    }
    const int64_t rows = batch_ * steps_;
    if (auto* dx = gradients.inputs[0]) {
      math_.multiply(rows,
                     ins(),
                     3 * size(),
                     {dgates_.data(), 3 * size()},
                     {x.parameter(0).data(), ins()},
                     dx->data(),
                     ins(),
                     true);
    }
    math_.multiply(3 * size(),
                   ins(),
                   rows,
                   {dgates_.data(), 3 * size(), true},
                   {x.input().data(), ins()},
                   gradients.parameters[0]->data(),
                   ins(),
                   true);
    const auto previous = previous_steps(hidden_);
    T* du = gradients.parameters[1]->data();
    math_.multiply(gate_width(),
                   size(),
                   rows,
                   {drecurrent_.data(), 3 * size(), true},
                   {previous.data(), size()},
                   du,
                   size(),
                   true);
    if (!layer_.reset_after) {
      math_.multiply(size(),
                     size(),
                     rows,
                     {drecurrent_.data() + 2 * size(), 3 * size(), true},
                     {reset_.data(), size()},
                     du + 2 * size() * size(),
                     size(),
                     true);
    }
    add_column_sums(math_, dgates_, *gradients.parameters[2]);
    if (layer_.biases == 2) {
      add_column_sums(math_, drecurrent_, *gradients.parameters[3]);
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    const auto inputs = absolute(x.input());
    const auto weights = absolute(x.parameter(0));
    Array<T> scale(gates_.shape);
    math_.multiply(batch_ * steps_,
                   3 * size(),
                   ins(),
                   {inputs.data(), ins()},
                   {weights.data(), ins(), true},
                   scale.data(),
                   3 * size(),
                   true);
    add_bias(x.parameter(2), true, scale);
    vgates_ = vrecurrent_ = Array<T>(gates_.shape);
    for (int64_t i = 0; i < scale.size(); ++i) {
      vgates_[i] = static_cast<T>(ins() + 1) * square(scale[i]);
      if (layer_.biases == 2) {
        vrecurrent_[i] = square(x.parameter(3)[i % (3 * size())]);
      }
    }
    vhidden_ = vreset_ = Array<T>(hidden_.shape);
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        recurrent_error(hidden_, vhidden_, t - 1, x.parameter(1), 0, gate_width(), t);
      }
      for_each(t, [&](int64_t k, T* gates, T* recurrent) { gate_error(k, t, gates, recurrent); });
      if (!layer_.reset_after && t > 0) {
        recurrent_error(reset_, vreset_, t, x.parameter(1), 2 * size(), size(), t);
      }
      for_each(t,
               [&](int64_t k, T* gates, T* recurrent) { candidate_error(k, t, gates, recurrent); });
    }
    variance.values = vhidden_.values;
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    dgates_ = drecurrent_ = Array<T>(gates_.shape);
    vdgates_ = vdrecurrent_ = Array<T>(gates_.shape);
    Array<T> dhidden({batch_, size()}), dreset({batch_, size()}), vdhidden({batch_, size()}),
        vdreset({batch_, size()});
    const Operand<T> u{x.parameter(1).data(), size()};
    const Operand<T> candidate{x.parameter(1).data() + 2 * size() * size(), size()};
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      candidate_back_error(t, dout, dout_variance, dhidden, vdhidden);
      back_through_candidate(t, dout, dhidden);
      if (!layer_.reset_after) {
        std::ranges::fill(vdreset.values, T{0});
        add_product_error<T>(math_,
                             batch_,
                             size(),
                             size(),
                             {at(drecurrent_, t) + 2 * size(), row_stride()},
                             at(vdrecurrent_, t) + 2 * size(),
                             candidate,
                             nullptr,
                             vdreset.data(),
                             size(),
                             size());
        multiply_transposed(drecurrent_, t, x.parameter(1), 2 * size(), size(), dreset, false);
      }
      gates_back_error(t, dreset, vdreset, vdhidden);
      back_through_gates(t, dreset, dhidden);
      add_product_error<T>(math_,
                           batch_,
                           size(),
                           gate_width(),
                           {at(drecurrent_, t), row_stride()},
                           at(vdrecurrent_, t),
                           u,
                           nullptr,
                           vdhidden.data(),
                           size(),
                           gate_width());
      multiply_transposed(drecurrent_, t, x.parameter(1), 0, gate_width(), dhidden, true);
    }
    parameter_error(x, variances);
  }

 private:
  [[nodiscard]] int64_t size() const { return layer_.hidden; }
  [[nodiscard]] int64_t ins() const { return layer_.in_features; }
  [[nodiscard]] int64_t row_stride() const { return 3 * steps_ * size(); }
  // The gates whose recurrent product takes h itself: all three, or all but the candidate.
  [[nodiscard]] int64_t gate_width() const { return (layer_.reset_after ? 3 : 2) * size(); }
  [[nodiscard]] static T* at(Array<T>& array, int64_t t) {
    return array.data() + t * array.shape[2];
  }
  [[nodiscard]] static const T* at(const Array<T>& array, int64_t t) {
    return array.data() + t * array.shape[2];
  }
  [[nodiscard]] T before(const Array<T>& states, int64_t k, int64_t t) const {
    return t > 0 ? states[k - size()] : T{0};
  }

  void resize(const Shape& in) {
    batch_ = in[0];
    steps_ = in[1];
    gates_ = recurrent_ = Array<T>({batch_, steps_, 3 * size()});
    hidden_ = reset_ = Array<T>({batch_, steps_, size()});
  }

  // Calls body(state offset, gates, recurrent) for every unit of every sample at step t; the
  // unit's three gates stand `size` apart. Of forward arrays, or of their variances.
  template <typename Body>
  void for_each(int64_t t, Body body) {
    for (int64_t n = 0; n < batch_; ++n) {
      const int64_t row = n * steps_ + t;
      for (int64_t j = 0; j < size(); ++j) {
        body(row * size() + j,
             gates_.data() + row * 3 * size() + j,
             recurrent_.data() + row * 3 * size() + j);
      }
    }
  }

  // The gates r and z of one sample at step t, and r h.
  void open_gates(int64_t n, int64_t t) {
    const int64_t row = n * steps_ + t;
    T* gates = gates_.data() + row * 3 * size();
    const T* recurrent = recurrent_.data() + row * 3 * size();
    std::transform(gates, gates + 2 * size(), recurrent, gates, std::plus<>());
    gate_.apply(gates, 2 * size());
    for (int64_t j = 0; j < size(); ++j) {
      reset_[row * size() + j] = gates[j] * before(hidden_, row * size() + j, t);
    }
  }

  void next_state(int64_t n, int64_t t) {
    const int64_t row = n * steps_ + t;
    T* gates = gates_.data() + row * 3 * size();
    T* candidate = gates + 2 * size();
    const T* q = recurrent_.data() + row * 3 * size() + 2 * size();
    for (int64_t j = 0; j < size(); ++j) {
      candidate[j] += layer_.reset_after ? gates[j] * q[j] : q[j];
    }
    tanh_of(candidate, candidate, size());
    for (int64_t j = 0; j < size(); ++j) {
      const int64_t k = row * size() + j;
      const T z = gates[size() + j];
      hidden_[k] = (1 - z) * candidate[j] + z * before(hidden_, k, t);
    }
  }

  // recurrent[t, first..first+width) += states * U[first..)^T
  void multiply_recurrent(const T* states,
                          const Array<T>& u,
                          int64_t first,
                          int64_t width,
                          Array<T>& recurrent,
                          int64_t t) const {
    math_.multiply(batch_,
                   width,
                   size(),
                   {states, steps_ * size()},
                   {u.data() + first * size(), size(), true},
                   at(recurrent, t) + first,
                   row_stride(),
                   true);
  }

  void multiply_transposed(const Array<T>& d,
                           int64_t t,
                           const Array<T>& u,
                           int64_t first,
                           int64_t width,
                           Array<T>& result,
                           bool accumulate) const {
    math_.multiply(batch_,
                   size(),
                   width,
                   {at(d, t) + first, row_stride()},
                   {u.data() + first * size(), size()},
                   result.data(),
                   size(),
                   accumulate);
  }

  // Gradients of n's and z's arguments; dhidden keeps dh, to be turned into that of h before.
  void back_through_candidate(int64_t t, const Array<T>& dout, Array<T>& dhidden) {
    for_each(t, [&](int64_t k, const T* gates, const T* recurrent) {
      const int64_t state = k / (steps_ * size()) * size() + k % size();
      const int64_t at_gate = gates - gates_.data();
      const T z = gates[size()], n = gates[2 * size()];
      const T dh = dout[k] + dhidden[state];
      const T dn = dh * (1 - z) * (1 - n * n);
      const T dz = dh * (before(hidden_, k, t) - n) * gate_.slope(z);
      dgates_[at_gate + 2 * size()] = dn;
      dgates_[at_gate + size()] = drecurrent_[at_gate + size()] = dz;
      drecurrent_[at_gate + 2 * size()] = layer_.reset_after ? dn * gates[0] : dn;
      if (layer_.reset_after) {
        dgates_[at_gate] = drecurrent_[at_gate] =
            dn * recurrent[2 * size()] * gate_.slope(gates[0]);
      }
      dhidden[state] = dh * z;
    });
  }

  // Without reset_after: the gradient of r h reaches r's argument and h.
  void back_through_gates(int64_t t, const Array<T>& dreset, Array<T>& dhidden) {
    if (layer_.reset_after) {
      return;
    }
    for_each(t, [&](int64_t k, const T* gates, const T*) {
      const int64_t state = k / (steps_ * size()) * size() + k % size();
      const int64_t at_gate = gates - gates_.data();
      dgates_[at_gate] = drecurrent_[at_gate] =
          dreset[state] * before(hidden_, k, t) * gate_.slope(gates[0]);
      dhidden[state] += dreset[state] * gates[0];
    });
  }

  void recurrent_error(const Array<T>& states,
                       const Array<T>& vstates,
                       int64_t from,
                       const Array<T>& u,
                       int64_t first,
                       int64_t width,
                       int64_t t) {
    add_product_error<T>(math_,
                         batch_,
                         width,
                         size(),
                         {at(states, from), steps_ * size()},
                         at(vstates, from),
                         {u.data() + first * size(), size(), true},
                         nullptr,
                         at(vrecurrent_, t) + first,
                         row_stride(),
                         size() + 1);
  }

  void gate_error(int64_t k, int64_t t, const T* gates, const T* recurrent) {
    const int64_t g = gates - gates_.data();
    for (int64_t i = 0; i < 2; ++i) {
      const int64_t at_gate = g + i * size();
      const T sum = vgates_[at_gate] + vrecurrent_[at_gate] + square(recurrent[i * size()]);
      vgates_[at_gate] = gate_.error(gates[i * size()], sum);
    }
    const T h = before(hidden_, k, t);
    vreset_[k] =
        square(h) * vgates_[g] + square(gates[0]) * before(vhidden_, k, t) + square(reset_[k]);
  }

  void candidate_error(int64_t k, int64_t t, const T* gates, const T* recurrent) {
    const int64_t g = gates - gates_.data();
    const T r = gates[0], z = gates[size()], n = gates[2 * size()], q = recurrent[2 * size()];
    const T vq = vrecurrent_[g + 2 * size()];
    T argument = vgates_[g + 2 * size()] + 2 * square(q);
    argument += layer_.reset_after ? square(r) * vq + square(q) * vgates_[g] : vq;
    const T vn = vgates_[g + 2 * size()] = tanh_error(n, argument);
    const T h = before(hidden_, k, t);
    vhidden_[k] = square(1 - z) * vn + square(z) * before(vhidden_, k, t) +
                  square(h - n) * vgates_[g + size()] +
                  3 * square((1 + z) * std::abs(n) + std::abs(z * h));
  }

  void candidate_back_error(int64_t t,
                            const Array<T>& dout,
                            const Array<T>& dout_variance,
                            const Array<T>& dhidden,
                            Array<T>& vdhidden) {
    for_each(t, [&](int64_t k, const T* gates, const T* recurrent) {
      const int64_t state = k / (steps_ * size()) * size() + k % size();
      const int64_t g = gates - gates_.data();
      const T r = gates[0], z = gates[size()], n = gates[2 * size()], q = recurrent[2 * size()];
      const T vr = vgates_[g], vz = vgates_[g + size()], vn = vgates_[g + 2 * size()];
      const T h = before(hidden_, k, t), vh = before(vhidden_, k, t);
      const T dh = dout[k] + dhidden[state];
      const T vdh = dout_variance[k] + vdhidden[state] + square(dh);
      const T slope = 1 - n * n;
      const T dn = dh * (1 - z) * slope;
      const T vdn = square((1 - z) * slope) * vdh + square(dh * slope) * vz +
                    square(2 * dh * (1 - z) * n) * vn + 4 * square(dh * (1 + z) * (1 + n * n));
      const T vdz = square((h - n) * gate_.slope(z)) * vdh +
                    square(dh * gate_.slope(z)) * (vh + vn) +
                    square(dh * (h - n) * gate_.curvature(z)) * vz +
                    4 * square(dh * (std::abs(h) + std::abs(n)) * gate_.slope_size(z));
      vdgates_[g + 2 * size()] = vdn;
      vdgates_[g + size()] = vdrecurrent_[g + size()] = vdz;
      vdrecurrent_[g + 2 * size()] =
          layer_.reset_after ? square(r) * vdn + square(dn) * vr + square(dn * r) : vdn;
      if (layer_.reset_after) {
        const T s = gate_.slope(r);
        vdgates_[g] = vdrecurrent_[g] =
            square(q * s) * vdn + square(dn * s) * vrecurrent_[g + 2 * size()] +
            square(dn * q * gate_.curvature(r)) * vr + 4 * square(dn * q * gate_.slope_size(r));
      }
      vdhidden[state] = square(z) * vdh + square(dh) * vz + square(dh * z);
    });
  }

  void gates_back_error(int64_t t,
                        const Array<T>& dreset,
                        const Array<T>& vdreset,
                        Array<T>& vdhidden) {
    if (layer_.reset_after) {
      return;
    }
    for_each(t, [&](int64_t k, const T* gates, const T*) {
      const int64_t state = k / (steps_ * size()) * size() + k % size();
      const int64_t g = gates - gates_.data();
      const T r = gates[0], d = dreset[state], vd = vdreset[state];
      const T h = before(hidden_, k, t), vh = before(vhidden_, k, t);
      vdgates_[g] = vdrecurrent_[g] =
          square(h * gate_.slope(r)) * vd + square(d * gate_.slope(r)) * vh +
          square(d * h * gate_.curvature(r)) * vgates_[g] + 4 * square(d * h * gate_.slope_size(r));
      vdhidden[state] += square(r) * vd + square(d) * vgates_[g] + 2 * square(d * r);
    });
  }

  void parameter_error(const Operands<T>& x, const Gradients<T>& variances) {
    const int64_t rows = batch_ * steps_;
    if (auto* vdx = variances.inputs[0]) {
      add_product_error<T>(math_,
                           rows,
                           ins(),
                           3 * size(),
                           {dgates_.data(), 3 * size()},
                           vdgates_.data(),
                           {x.parameter(0).data(), ins()},
                           nullptr,
                           vdx->data(),
                           ins(),
                           3 * size());
    }
    add_product_error<T>(math_,
                         3 * size(),
                         ins(),
                         rows,
                         {dgates_.data(), 3 * size(), true},
                         vdgates_.data(),
                         {x.input().data(), ins()},
                         nullptr,
                         variances.parameters[0]->data(),
                         ins(),
                         rows);
    const auto previous = previous_steps(hidden_);
    const auto vprevious = previous_steps(vhidden_);
    T* vdu = variances.parameters[1]->data();
    add_product_error<T>(math_,
                         gate_width(),
                         size(),
                         rows,
                         {drecurrent_.data(), 3 * size(), true},
                         vdrecurrent_.data(),
                         {previous.data(), size()},
                         vprevious.data(),
                         vdu,
                         size(),
                         rows);
    if (!layer_.reset_after) {
      add_product_error<T>(math_,
                           size(),
                           size(),
                           rows,
                           {drecurrent_.data() + 2 * size(), 3 * size(), true},
                           vdrecurrent_.data() + 2 * size(),
                           {reset_.data(), size()},
                           vreset_.data(),
                           vdu + 2 * size() * size(),
                           size(),
                           rows);
    }
    add_column_sums_error(math_, dgates_, vdgates_, *variances.parameters[2]);
    if (layer_.biases == 2) {
      add_column_sums_error(math_, drecurrent_, vdrecurrent_, *variances.parameters[3]);
    }
  }

  model::Gru layer_;
  const Math<T>& math_;
  Gate<T> gate_;
  int64_t batch_ = 0;
  int64_t steps_ = 0;
  // Of the last forward pass: activated gates r z n; U h + b_hh (with q last); h; r h.
  Array<T> gates_, recurrent_, hidden_, reset_;
  Array<T> vgates_, vrecurrent_, vhidden_, vreset_;  // their errors' variances
  Array<T> dgates_, drecurrent_, vdgates_, vdrecurrent_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Gru& layer, const Math<T>& math) {
  return std::make_unique<GruOp<T>>(layer, math);
}

CROSSBIND_INSTANTIATE_OP(Gru);

}  // namespace crossbind::reference
