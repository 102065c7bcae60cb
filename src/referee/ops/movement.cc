// Layers that only move, mask or add numbers: flatten, pad, select last, dropout, add.
#include <utility>

#include "referee/bound.h"
#include "referee/ops/factories.h"
#include "tensor/philox.h"

namespace crossbind::referee {
namespace {

// A layer whose backward pass is linear, element by element and without rounding: variances go the
// same way as gradients.
template <typename T>
class ExactOp : public Op<T> {
 public:
  void forward_error(const Operands<T>&, const Array<T>&, Array<T>&) override {}
  void backward_error(const Operands<T>& x,
                      const Array<T>& out,
                      const Array<T>&,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    this->backward(x, out, dout_variance, variances);
  }
};

template <typename T>
class FlattenOp final : public ExactOp<T> {
 public:
  void forward(const Operands<T>& x, Array<T>& out) override { out.values = x.input().values; }
  void backward(const Operands<T>&,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      std::ranges::transform(dx->values, dout.values, dx->values.begin(), std::plus<>());
    }
  }
};

template <typename T>
class PadOp final : public ExactOp<T> {
 public:
  explicit PadOp(const model::Pad& layer) : layer_(layer) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    std::ranges::fill(out.values, static_cast<T>(layer_.value));
    for_each_row(x.input().shape, out.shape, [&](int64_t inside, int64_t outside, int64_t width) {
      std::copy_n(x.input().data() + inside, width, out.data() + outside);
    });
  }
  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      for_each_row(
          x.input().shape, dout.shape, [&](int64_t inside, int64_t outside, int64_t width) {
            for (int64_t i = 0; i < width; ++i) {
              (*dx)[inside + i] += dout[outside + i];
            }
          });
    }
  }

 private:
  template <typename Visit>
  void for_each_row(const Shape& in, const Shape& out, Visit visit) const {
    for (int64_t plane = 0; plane < in[0] * in[1]; ++plane) {
      for (int64_t row = 0; row < in[2]; ++row) {
        visit((plane * in[2] + row) * in[3],
              (plane * out[2] + row + layer_.pads.top) * out[3] + layer_.pads.left,
              in[3]);
      }
    }
  }

  model::Pad layer_;
};

template <typename T>
class SelectLastOp final : public ExactOp<T> {
 public:
  void forward(const Operands<T>& x, Array<T>& out) override {
    for_each(x.input().shape, [&](int64_t from, int64_t to) { out[to] = x.input()[from]; });
  }
  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      for_each(x.input().shape, [&](int64_t from, int64_t to) { (*dx)[from] += dout[to]; });
    }
  }

 private:
  template <typename Visit>
  static void for_each(const Shape& in, Visit visit) {
    for (int64_t n = 0; n < in[0]; ++n) {
      for (int64_t f = 0; f < in[2]; ++f) {
        visit((n * in[1] + in[1] - 1) * in[2] + f, n * in[2] + f);
      }
    }
  }
};

// An element is dropped, or multiplied by 1 / (1 - rate); the same factor goes backward. What a
// recorded pass has drawn is read from it: an output is nearer to 0 or to the scaled input. Where
// the input is 0 the output does not tell; the gradient may then be either, and its bound says so.
template <typename T>
class DropoutOp final : public Op<T> {
 public:
  DropoutOp(const model::Dropout& layer, const DropoutSource& source, uint32_t node)
      : rate_(layer.rate),
        source_(source),
        node_(node) {}

  void take_draw(const Operands<T>& x, const Array<T>& recorded) override {
    if (!is_active(x)) {
      return;
    }
    factors_.resize(recorded.values.size());
    for (int64_t i = 0; i < recorded.size(); ++i) {
      const T kept = x.input()[i] * scale();
      const bool is_kept = std::abs(recorded[i] - kept) < std::abs(recorded[i]);
      factor(i) = x.input()[i] == 0 ? scale() / 2 : is_kept ? scale() : T{0};
    }
    is_taken_ = true;
  }

  void forward(const Operands<T>& x, Array<T>& out) override {
    if (!is_active(x)) {
      factors_.clear();
    } else if (!std::exchange(is_taken_, false)) {
      draw(out.size());
    }
    for (int64_t i = 0; i < out.size(); ++i) {
      out[i] = factors_.empty() ? x.input()[i] : x.input()[i] * factor(i);
    }
  }

  void backward(const Operands<T>&,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      for (int64_t i = 0; i < dout.size(); ++i) {
        (*dx)[i] += factors_.empty() ? dout[i] : dout[i] * factor(i);
      }
    }
  }

  // A product, and the rounding of its factor.
  void forward_error(const Operands<T>&, const Array<T>& out, Array<T>& variance) override {
    for (int64_t i = 0; i < out.size() && !factors_.empty(); ++i) {
      variance[i] += 2 * square(out[i]);
    }
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    auto* vdx = variances.inputs[0];
    for (int64_t i = 0; vdx != nullptr && i < dout.size(); ++i) {
      if (factors_.empty()) {
        (*vdx)[i] += dout_variance[i];
        continue;
      }
      (*vdx)[i] += square(factor(i)) * (dout_variance[i] + 2 * square(dout[i]));
      if (x.input()[i] == 0) {  // half of the scaled gradient, which is as far from either
        constexpr T kUnits = static_cast<T>(1 / (kBoundConstant * kUnitRoundoff));
        (*vdx)[i] += square(dout[i] * factor(i) * kUnits);
      }
    }
  }

 private:
  [[nodiscard]] bool is_active(const Operands<T>& x) const {
    return x.mode == Mode::kTrain && rate_ != 0 && source_.enabled;
  }
  [[nodiscard]] T scale() const { return static_cast<T>(1 / (1 - rate_)); }
  [[nodiscard]] T& factor(int64_t i) { return factors_[static_cast<size_t>(i)]; }

  void draw(int64_t count) {
    tensor::PhiloxStream stream(source_.seed, tensor::Purpose::kDropout, node_, source_.step);
    factors_.resize(static_cast<size_t>(count));
    std::ranges::generate(factors_, [&] { return stream.uniform() < rate_ ? T{0} : scale(); });
  }

  double rate_;
  const DropoutSource& source_;
  uint32_t node_;
  std::vector<T> factors_;  // empty: identity
  bool is_taken_ = false;   // the factors are those of a recorded pass
};

template <typename T>
class AddOp final : public Op<T> {
 public:
  void forward(const Operands<T>& x, Array<T>& out) override {
    std::ranges::transform(x.input(0).values, x.input(1).values, out.values.begin(), std::plus<>());
  }
  void backward(const Operands<T>&,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    for (auto* dx : gradients.inputs) {
      if (dx != nullptr) {
        std::ranges::transform(dx->values, dout.values, dx->values.begin(), std::plus<>());
      }
    }
  }
  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    for (int64_t i = 0; i < variance.size(); ++i) {
      variance[i] += 2 * square(std::abs(x.input(0)[i]) + std::abs(x.input(1)[i]));
    }
  }
  void backward_error(const Operands<T>& x,
                      const Array<T>& out,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    backward(x, out, dout_variance, variances);
    // Below a fork the branches' gradients are added: one more rounding of either.
    backward(x, out, squared(dout), variances);
  }
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Flatten&, const Math<T>&) {
  return std::make_unique<FlattenOp<T>>();
}
template <typename T>
OpPointer<T> make_op_for(const model::Pad& layer, const Math<T>&) {
  return std::make_unique<PadOp<T>>(layer);
}
template <typename T>
OpPointer<T> make_op_for(const model::SelectLast&, const Math<T>&) {
  return std::make_unique<SelectLastOp<T>>();
}
template <typename T>
OpPointer<T> make_op_for(const model::Add&, const Math<T>&) {
  return std::make_unique<AddOp<T>>();
}
template <typename T>
OpPointer<T> make_dropout(const model::Dropout& layer, const DropoutSource& source, uint32_t node) {
  return std::make_unique<DropoutOp<T>>(layer, source, node);
}

CROSSBIND_INSTANTIATE_OP(Flatten);
CROSSBIND_INSTANTIATE_OP(Pad);
CROSSBIND_INSTANTIATE_OP(SelectLast);
CROSSBIND_INSTANTIATE_OP(Add);
template OpPointer<float> make_dropout(const model::Dropout&, const DropoutSource&, uint32_t);
template OpPointer<double> make_dropout(const model::Dropout&, const DropoutSource&, uint32_t);

}  // namespace crossbind::referee
