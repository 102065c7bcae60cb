// Gated recurrent unit, gates r z n, both places of the reset gate:
//   r, z = gate(W x + U h + b);  h' = (1 - z) n + z h
//   reset_after:  n = tanh(p + r q),  p = W x + b_ih,  q = U h + b_hh
//   otherwise:    n = tanh(p + q),    p = W x + b_ih,  q = U (r h) + b_hh
#include <utility>

#include "referee/ops/affine.h"
#include "referee/ops/factories.h"
#include "referee/ops/gate.h"

namespace crossbind::referee {
namespace {

template <typename T>
class GruOp final : public Op<T> {
 public:
  GruOp(const model::Gru& layer, const Math<T>& math)
      : layer_(layer),
        math_(math),
        gate_(layer.recurrent_activation),
        input_(math, layer.in_features, 3 * layer.hidden) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    resize(x.input().shape);
    input_.forward(x.input(), x.parameter(0), {&x.parameter(2)}, gates_);
    if (layer_.biases == 2) {
      for (int64_t i = 0; i < recurrent_.size(); ++i) {
        recurrent_[i] = x.parameter(3)[i % (3 * size())];
      }
    }
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        math_.multiply_add(at_step(hidden_, t - 1),
                           weight(x, on_state()).flipped(),
                           columns(recurrent_, t, on_state()));
      }
      for (int64_t n = 0; n < batch_; ++n) {
        open_gates(n, t);
      }
      if (!layer_.reset_after && t > 0) {
        math_.multiply_add(at_step(reset_, t),
                           weight(x, on_reset()).flipped(),
                           columns(recurrent_, t, on_reset()));
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
        math_.multiply(columns(drecurrent_, t, on_reset()), weight(x, on_reset()), matrix(dreset));
        back_through_reset(t, dreset, dhidden);
      }
      math_.multiply_add(
          columns(drecurrent_, t, on_state()), weight(x, on_state()), matrix(dhidden));
    }
    input_.backward(x.input(),
                    x.parameter(0),
                    dgates_,
                    gradients.inputs[0],
                    *gradients.parameters[0],
                    {gradients.parameters[2]});
    const auto previous = previous_steps(hidden_);
    auto& du = *gradients.parameters[1];
    math_.multiply_add(
        columns(drecurrent_, on_state()).flipped(), matrix(previous), rows(du, on_state()));
    if (!layer_.reset_after) {
      math_.multiply_add(
          columns(drecurrent_, on_reset()).flipped(), matrix(reset_), rows(du, on_reset()));
    }
    if (layer_.biases == 2) {
      add_column_sums(math_, drecurrent_, *gradients.parameters[3]);
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    vgates_ = vrecurrent_ = Array<T>(gates_.shape);
    input_.forward_error({x.input()}, x.parameter(0), {&x.parameter(2)}, vgates_);
    if (layer_.biases == 2) {
      for (int64_t i = 0; i < vrecurrent_.size(); ++i) {
        // With the product's own term, 2 K (p^2 + b^2) is at least K (|p| + |b|)^2.
        vrecurrent_[i] =
            static_cast<T>(2 * (size() + 1)) * square(x.parameter(3)[i % (3 * size())]);
      }
    }
    vhidden_ = vreset_ = Array<T>(hidden_.shape);
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        recurrent_error(x,
                        on_state(),
                        at_step(std::as_const(hidden_), t - 1),
                        at_step(vhidden_, t - 1).data,
                        t);
      }
      for_each(t, [&](const Unit& unit) { gate_error(unit); });
      if (!layer_.reset_after && t > 0) {
        recurrent_error(
            x, on_reset(), at_step(std::as_const(reset_), t), at_step(vreset_, t).data, t);
      }
      for_each(t, [&](const Unit& unit) { candidate_error(unit); });
    }
    variance.values = vhidden_.values;
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    // The gradients themselves once more, for the values that errors are propagated along.
    dgates_ = drecurrent_ = vdgates_ = vdrecurrent_ = Array<T>(gates_.shape);
    const Shape state = {batch_, size()};
    Array<T> dhidden(state), dreset(state), vdhidden(state);
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      candidate_back_error(t, dout, dout_variance, dhidden, vdhidden);
      back_through_candidate(t, dout, dhidden);
      if (!layer_.reset_after) {
        Array<T> vdreset(state);
        add_product_error<T>(
            math_, uncertain(t, on_reset()), {weight(x, on_reset())}, size(), matrix(vdreset));
        math_.multiply(columns(drecurrent_, t, on_reset()), weight(x, on_reset()), matrix(dreset));
        reset_back_error(t, dreset, vdreset, vdhidden);
        back_through_reset(t, dreset, dhidden);
      }
      add_product_error<T>(math_,
                           uncertain(t, on_state()),
                           {weight(x, on_state())},
                           on_state().width,
                           matrix(vdhidden));
      math_.multiply_add(
          columns(drecurrent_, t, on_state()), weight(x, on_state()), matrix(dhidden));
    }
    parameter_error(x, variances);
  }

 private:
  // The gates whose recurrent product takes h itself: all three, or all but the candidate, which
  // then takes r h. As a range of U's rows and of the gates' columns.
  struct Part {
    int64_t first;
    int64_t width;
  };
  [[nodiscard]] Part on_state() const { return {0, (layer_.reset_after ? 3 : 2) * size()}; }
  [[nodiscard]] Part on_reset() const { return {2 * size(), size()}; }

  // One unit of one sample at one step: where its state and its first gate are; the gates stand
  // `size` apart.
  struct Unit {
    int64_t state;   // in [batch, steps, hidden]
    int64_t gate;    // in [batch, steps, 3 hidden]
    int64_t sample;  // in [batch, hidden]
    int64_t step;
  };

  [[nodiscard]] int64_t size() const { return layer_.hidden; }
  [[nodiscard]] T before(const Array<T>& states, int64_t state, int64_t t) const {
    return t > 0 ? states[state - size()] : T{0};
  }
  [[nodiscard]] Matrix<const T> weight(const Operands<T>& x, Part part) const {
    return matrix(x.parameter(1)).row_range(part.first, part.width);
  }
  template <typename A>
  [[nodiscard]] static auto columns(A& array, int64_t t, Part part) {
    return at_step(array, t).column_range(part.first, part.width);
  }
  [[nodiscard]] static Matrix<const T> columns(const Array<T>& array, Part part) {
    return matrix(array).column_range(part.first, part.width);
  }
  [[nodiscard]] static Matrix<T> rows(Array<T>& array, Part part) {
    return matrix(array).row_range(part.first, part.width);
  }
  [[nodiscard]] Factor<T> uncertain(int64_t t, Part part) const {
    return {columns(drecurrent_, t, part), columns(vdrecurrent_, t, part).data};
  }

  void resize(const Shape& in) {
    batch_ = in[0];
    steps_ = in[1];
    gates_ = recurrent_ = Array<T>({batch_, steps_, 3 * size()});
    hidden_ = reset_ = Array<T>({batch_, steps_, size()});
  }

  template <typename Body>
  void for_each(int64_t t, Body body) const {
    for (int64_t n = 0; n < batch_; ++n) {
      const int64_t row = n * steps_ + t;
      for (int64_t j = 0; j < size(); ++j) {
        body(Unit{row * size() + j, row * 3 * size() + j, n * size() + j, t});
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

  // Gradients of n's and z's arguments (with reset_after r's too); dhidden, that of h', becomes the
  // part of h's that goes past the gates.
  void back_through_candidate(int64_t t, const Array<T>& dout, Array<T>& dhidden) {
    for_each(t, [&](const Unit& unit) {
      const T r = gates_[unit.gate], z = gates_[unit.gate + size()],
              n = gates_[unit.gate + 2 * size()];
      const T dh = dout[unit.state] + dhidden[unit.sample];
      const T dn = dh * (1 - z) * (1 - n * n);
      const T dz = dh * (before(hidden_, unit.state, t) - n) * gate_.slope(z);
      dgates_[unit.gate + 2 * size()] = dn;
      dgates_[unit.gate + size()] = drecurrent_[unit.gate + size()] = dz;
      drecurrent_[unit.gate + 2 * size()] = layer_.reset_after ? dn * r : dn;
      if (layer_.reset_after) {
        dgates_[unit.gate] = drecurrent_[unit.gate] =
            dn * recurrent_[unit.gate + 2 * size()] * gate_.slope(r);
      }
      dhidden[unit.sample] = dh * z;
    });
  }

  // The gradient of r h reaches r's argument and h.
  void back_through_reset(int64_t t, const Array<T>& dreset, Array<T>& dhidden) {
    for_each(t, [&](const Unit& unit) {
      const T r = gates_[unit.gate], d = dreset[unit.sample];
      dgates_[unit.gate] = drecurrent_[unit.gate] =
          d * before(hidden_, unit.state, t) * gate_.slope(r);
      dhidden[unit.sample] += d * r;
    });
  }

  void recurrent_error(
      const Operands<T>& x, Part part, Matrix<const T> states, const T* variance, int64_t t) {
    add_product_error<T>(math_,
                         {states, variance},
                         {weight(x, part).flipped()},
                         layer_.biases * (size() + 1),
                         columns(vrecurrent_, t, part));
  }

  void gate_error(const Unit& unit) {
    for (int64_t at = unit.gate; at <= unit.gate + size(); at += size()) {
      vgates_[at] = gate_.error(gates_[at], vgates_[at] + vrecurrent_[at] + square(recurrent_[at]));
    }
    const T h = before(hidden_, unit.state, unit.step),
            vh = before(vhidden_, unit.state, unit.step);
    vreset_[unit.state] = square(h) * vgates_[unit.gate] + square(gates_[unit.gate]) * vh +
                          square(reset_[unit.state]);
  }

  void candidate_error(const Unit& unit) {
    const int64_t candidate = unit.gate + 2 * size();
    const T r = gates_[unit.gate], z = gates_[unit.gate + size()], n = gates_[candidate];
    const T q = recurrent_[candidate], vq = vrecurrent_[candidate];
    T argument = vgates_[candidate] + 2 * square(q);
    argument += layer_.reset_after ? square(r) * vq + square(q) * vgates_[unit.gate] : vq;
    const T vn = vgates_[candidate] = tanh_error(n, argument);
    const T h = before(hidden_, unit.state, unit.step),
            vh = before(vhidden_, unit.state, unit.step);
    vhidden_[unit.state] = square(1 - z) * vn + square(z) * vh +
                           square(h - n) * vgates_[unit.gate + size()] +
                           3 * square((1 + z) * std::abs(n) + std::abs(z * h));
  }

  // d = c * other * gate'(s), each factor with its own error.
  [[nodiscard]] T through_gate(T c, T vc, T other, T vother, T s, T vs) const {
    return square(other * gate_.slope(s)) * vc + square(c * gate_.slope(s)) * vother +
           square(c * other * gate_.curvature(s)) * vs;
  }

  void candidate_back_error(int64_t t,
                            const Array<T>& dout,
                            const Array<T>& dout_variance,
                            const Array<T>& dhidden,
                            Array<T>& vdhidden) {
    for_each(t, [&](const Unit& unit) {
      const int64_t g = unit.gate, update = g + size(), candidate = g + 2 * size();
      const T r = gates_[g], z = gates_[update], n = gates_[candidate], q = recurrent_[candidate];
      const T vr = vgates_[g], vz = vgates_[update], vn = vgates_[candidate];
      const T h = before(hidden_, unit.state, t), vh = before(vhidden_, unit.state, t);
      const T dh = dout[unit.state] + dhidden[unit.sample];
      const T vdh = dout_variance[unit.state] + vdhidden[unit.sample] + square(dh);
      const T slope = 1 - n * n;
      const T dn = dh * (1 - z) * slope;
      const T vdn = square((1 - z) * slope) * vdh + square(dh * slope) * vz +
                    square(2 * dh * (1 - z) * n) * vn + 4 * square(dh * (1 + z) * (1 + n * n));
      vdgates_[candidate] = vdn;
      vdgates_[update] = vdrecurrent_[update] =
          through_gate(dh, vdh, h - n, vh + vn, z, vz) +
          4 * square(dh * (std::abs(h) + std::abs(n)) * gate_.slope_size(z));
      vdrecurrent_[candidate] =
          layer_.reset_after ? square(r) * vdn + square(dn) * vr + square(dn * r) : vdn;
      if (layer_.reset_after) {
        vdgates_[g] = vdrecurrent_[g] = through_gate(dn, vdn, q, vrecurrent_[candidate], r, vr) +
                                        4 * square(dn * q * gate_.slope_size(r));
      }
      vdhidden[unit.sample] = square(z) * vdh + square(dh) * vz + square(dh * z);
    });
  }

  void reset_back_error(int64_t t,
                        const Array<T>& dreset,
                        const Array<T>& vdreset,
                        Array<T>& vdhidden) {
    for_each(t, [&](const Unit& unit) {
      const T r = gates_[unit.gate], vr = vgates_[unit.gate];
      const T d = dreset[unit.sample], vd = vdreset[unit.sample];
      const T h = before(hidden_, unit.state, t), vh = before(vhidden_, unit.state, t);
      vdgates_[unit.gate] = vdrecurrent_[unit.gate] =
          through_gate(d, vd, h, vh, r, vr) + 4 * square(d * h * gate_.slope_size(r));
      vdhidden[unit.sample] += square(r) * vd + square(d) * vr + 2 * square(d * r);
    });
  }

  void parameter_error(const Operands<T>& x, const Gradients<T>& variances) {
    input_.backward_error({x.input()},
                          x.parameter(0),
                          {dgates_, &vdgates_},
                          variances.inputs[0],
                          *variances.parameters[0],
                          {variances.parameters[2]});
    const auto previous = previous_steps(hidden_);
    const auto vprevious = previous_steps(vhidden_);
    auto& vdu = *variances.parameters[1];
    const auto error = [&](Part part, const Array<T>& states, const Array<T>& vstates) {
      add_product_error<T>(math_,
                           {columns(drecurrent_, part).flipped(), columns(vdrecurrent_, part).data},
                           {matrix(states), vstates.data()},
                           batch_ * steps_,
                           rows(vdu, part));
    };
    error(on_state(), previous, vprevious);
    if (!layer_.reset_after) {
      error(on_reset(), reset_, vreset_);
    }
    if (layer_.biases == 2) {
      add_column_sums_error(math_, drecurrent_, vdrecurrent_, *variances.parameters[3]);
    }
  }

  model::Gru layer_;
  const Math<T>& math_;
  Gate<T> gate_;
  Affine<T> input_;
  int64_t batch_ = 0;
  int64_t steps_ = 0;
  // What the last forward pass left: activated gates r z n; U h + b_hh (with q last); h; r h.
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

}  // namespace crossbind::referee
