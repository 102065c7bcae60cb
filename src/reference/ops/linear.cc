#include "reference/ops/factories.h"

namespace crossbind::reference {
namespace {

template <typename T>
class LinearOp final : public Op<T> {
 public:
  LinearOp(const model::Linear& layer, const Math<T>& math) : layer_(layer), math_(math) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    if (layer_.bias) {
      for (int64_t row = 0; row < out.rows(); ++row) {
        std::ranges::copy(x.parameter(1).values, out.data() + row * outs());
      }
    }
    math_.multiply(
        out.rows(), outs(), ins(), input(x), weight_transposed(x), out.data(), outs(), true);
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    const int64_t rows = dout.rows();
    const Operand<T> gradient{dout.data(), outs(), false};
    const Operand<T> gradient_transposed{dout.data(), outs(), true};
    if (auto* dx = gradients.inputs[0]) {
      math_.multiply(rows, ins(), outs(), gradient, weight(x), dx->data(), ins(), true);
    }
    math_.multiply(outs(),
                   ins(),
                   rows,
                   gradient_transposed,
                   input(x),
                   gradients.parameters[0]->data(),
                   ins(),
                   true);
    if (layer_.bias) {
      auto& db = *gradients.parameters[1];
      for (int64_t j = 0; j < outs(); ++j) {
        db[j] += math_.sum(rows, [&](int64_t i) { return dout[i * outs() + j]; });
      }
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>& out, Array<T>& variance) override {
    // The bias is one more column of the product, times one.
    const int64_t terms = ins() + (layer_.bias ? 1 : 0);
    Array<T> scale(out.shape);
    if (layer_.bias) {
      for (int64_t i = 0; i < scale.size(); ++i) {
        scale[i] = std::abs(x.parameter(1)[i % outs()]);
      }
    }
    const auto inputs = absolute(x.input());
    const auto weights = absolute(x.parameter(0));
    math_.multiply(out.rows(),
                   outs(),
                   ins(),
                   {inputs.data(), ins()},
                   {weights.data(), ins(), true},
                   scale.data(),
                   outs(),
                   true);
    for (int64_t i = 0; i < scale.size(); ++i) {
      variance[i] = static_cast<T>(terms) * square(scale[i]);
    }
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    const int64_t rows = dout.rows();
    const T* none = nullptr;
    if (auto* vdx = variances.inputs[0]) {
      add_product_error(math_,
                        rows,
                        ins(),
                        outs(),
                        {dout.data(), outs()},
                        dout_variance.data(),
                        weight(x),
                        none,
                        vdx->data(),
                        ins(),
                        outs());
    }
    add_product_error(math_,
                      outs(),
                      ins(),
                      rows,
                      {dout.data(), outs(), true},
                      dout_variance.data(),
                      input(x),
                      none,
                      variances.parameters[0]->data(),
                      ins(),
                      rows);
    if (layer_.bias) {
      auto& vdb = *variances.parameters[1];
      for (int64_t j = 0; j < outs(); ++j) {
        T scale = 0;
        for (int64_t i = 0; i < rows; ++i) {
          scale += std::abs(dout[i * outs() + j]);
          vdb[j] += dout_variance[i * outs() + j];
        }
        vdb[j] += static_cast<T>(rows) * square(scale);
      }
    }
  }

 private:
  [[nodiscard]] int64_t ins() const { return layer_.in_features; }
  [[nodiscard]] int64_t outs() const { return layer_.out_features; }
  [[nodiscard]] Operand<T> input(const Operands<T>& x) const { return {x.input().data(), ins()}; }
  [[nodiscard]] Operand<T> weight(const Operands<T>& x) const {
    return {x.parameter(0).data(), ins()};
  }
  [[nodiscard]] Operand<T> weight_transposed(const Operands<T>& x) const {
    return {x.parameter(0).data(), ins(), true};
  }

  model::Linear layer_;
  const Math<T>& math_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Linear& layer, const Math<T>& math) {
  return std::make_unique<LinearOp<T>>(layer, math);
}

CROSSBIND_INSTANTIATE_OP(Linear);

}  // namespace crossbind::reference
