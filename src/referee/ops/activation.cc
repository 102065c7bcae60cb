// Element-wise functions. Each is a small struct: its value, its derivative by input and output,
// the magnitude of that derivative computed on absolute values, and whether a library function is
// inside.
#include <numbers>

#include "referee/functions.h"
#include "referee/ops/factories.h"

namespace crossbind::referee {
namespace {

struct TanhFunction {
  static constexpr bool kExact = false;
  template <typename T>
  static void apply(const Array<T>& x, Array<T>& y) {
    tanh_of(x.data(), y.data(), x.size());
  }
  template <typename T>
  static T derivative(T, T y) {
    return 1 - y * y;
  }
  template <typename T>
  static T derivative_scale(T, T y) {
    return 1 + y * y;
  }
  template <typename T>
  static T scale(T, T y) {
    return std::abs(y);
  }
};

struct SigmoidFunction {
  static constexpr bool kExact = false;
  template <typename T>
  static void apply(const Array<T>& x, Array<T>& y) {
    sigmoid_of(x.data(), y.data(), x.size());
  }
  template <typename T>
  static T derivative(T, T y) {
    return y * (1 - y);
  }
  template <typename T>
  static T derivative_scale(T, T y) {
    return y * (1 + y);
  }
  template <typename T>
  static T scale(T, T y) {
    return std::abs(y);
  }
};

struct ReluFunction {
  static constexpr bool kExact = true;
  template <typename T>
  static void apply(const Array<T>& x, Array<T>& y) {
    // Not std::max, which would turn a NaN into 0.
    std::ranges::transform(x.values, y.values.begin(), [](T v) { return v < 0 ? T{0} : v; });
  }
  template <typename T>
  static T derivative(T, T y) {
    return y > 0 ? T{1} : T{0};
  }
  template <typename T>
  static T derivative_scale(T, T) {
    return 0;
  }
  template <typename T>
  static T scale(T, T) {
    return 0;
  }
};

struct GeluFunction {
  static constexpr bool kExact = false;
  template <typename T>
  static T density(T x) {
    return std::exp(-x * x / 2) * static_cast<T>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  }
  template <typename T>
  static T error_function(T x) {
    return std::erf(x / static_cast<T>(std::numbers::sqrt2));
  }
  template <typename T>
  static void apply(const Array<T>& x, Array<T>& y) {
    std::ranges::transform(
        x.values, y.values.begin(), [](T v) { return v / 2 * (1 + error_function(v)); });
  }
  template <typename T>
  static T derivative(T x, T) {
    return (1 + error_function(x)) / 2 + x * density(x);
  }
  template <typename T>
  static T derivative_scale(T x, T) {
    return (1 + std::abs(error_function(x))) / 2 + std::abs(x) * (1 + x * x) * density(x);
  }
  template <typename T>
  static T scale(T x, T) {
    return std::abs(x) / 2 * (1 + std::abs(error_function(x)));
  }
};

template <typename T, typename Function>
class ActivationOp final : public Op<T> {
 public:
  void forward(const Operands<T>& x, Array<T>& out) override { Function::apply(x.input(), out); }

  void backward(const Operands<T>& x,
                const Array<T>& out,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      for (int64_t i = 0; i < dout.size(); ++i) {
        (*dx)[i] += dout[i] * Function::derivative(x.input()[i], out[i]);
      }
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>& out, Array<T>& variance) override {
    if (Function::kExact) {
      return;
    }
    for (int64_t i = 0; i < out.size(); ++i) {
      variance[i] += kFactor * square(Function::scale(x.input()[i], out[i]));
    }
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>& out,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    if (auto* vdx = variances.inputs[0]) {
      for (int64_t i = 0; i < dout.size(); ++i) {
        const T slope = Function::derivative(x.input()[i], out[i]);
        const T scale = Function::derivative_scale(x.input()[i], out[i]);
        (*vdx)[i] += square(slope) * dout_variance[i] + kFactor * square(dout[i] * scale);
      }
    }
  }

 private:
  // Up to three roundings around one library function.
  static constexpr T kFactor = static_cast<T>(3 + kTranscendental * kTranscendental);
};

template <typename T>
class SoftmaxOp final : public Op<T> {
 public:
  explicit SoftmaxOp(const Math<T>& math) : math_(math) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    for (int64_t row = 0; row < out.rows(); ++row) {
      softmax_of(
          math_, x.input().data() + row * out.last(), out.data() + row * out.last(), out.last());
    }
  }

  void backward(const Operands<T>&,
                const Array<T>& out,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    auto* dx = gradients.inputs[0];
    if (dx == nullptr) {
      return;
    }
    const int64_t n = out.last();
    for (int64_t row = 0; row < out.rows(); ++row) {
      const int64_t base = row * n;
      const T dot = math_.sum(n, [&](int64_t i) { return dout[base + i] * out[base + i]; });
      for (int64_t i = base; i < base + n; ++i) {
        (*dx)[i] += out[i] * (dout[i] - dot);
      }
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>& out, Array<T>& variance) override {
    for (int64_t row = 0; row < out.rows(); ++row) {
      const int64_t base = row * out.last();
      softmax_error<T>(
          x.input().data() + base, out.data() + base, nullptr, variance.data() + base, out.last());
    }
  }

  void backward_error(const Operands<T>&,
                      const Array<T>& out,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    auto* vdx = variances.inputs[0];
    if (vdx == nullptr) {
      return;
    }
    const int64_t n = out.last();
    for (int64_t base = 0; base < out.size(); base += n) {
      T scale = 0;
      T spread = 0;
      for (int64_t i = base; i < base + n; ++i) {
        scale += std::abs(dout[i]) * out[i];
        spread += square(out[i]) * dout_variance[i];
      }
      for (int64_t i = base; i < base + n; ++i) {
        (*vdx)[i] += square(out[i]) * (dout_variance[i] + spread) +
                     static_cast<T>(n + 2) * square(out[i] * (std::abs(dout[i]) + scale));
      }
    }
  }

 private:
  const Math<T>& math_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Tanh&, const Math<T>&) {
  return std::make_unique<ActivationOp<T, TanhFunction>>();
}
template <typename T>
OpPointer<T> make_op_for(const model::Sigmoid&, const Math<T>&) {
  return std::make_unique<ActivationOp<T, SigmoidFunction>>();
}
template <typename T>
OpPointer<T> make_op_for(const model::Relu&, const Math<T>&) {
  return std::make_unique<ActivationOp<T, ReluFunction>>();
}
template <typename T>
OpPointer<T> make_op_for(const model::Gelu&, const Math<T>&) {
  return std::make_unique<ActivationOp<T, GeluFunction>>();
}
template <typename T>
OpPointer<T> make_op_for(const model::Softmax&, const Math<T>& math) {
  return std::make_unique<SoftmaxOp<T>>(math);
}

CROSSBIND_INSTANTIATE_OP(Tanh);
CROSSBIND_INSTANTIATE_OP(Sigmoid);
CROSSBIND_INSTANTIATE_OP(Relu);
CROSSBIND_INSTANTIATE_OP(Gelu);
CROSSBIND_INSTANTIATE_OP(Softmax);

}  // namespace crossbind::referee
