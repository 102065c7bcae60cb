#include "referee/ops/affine.h"
#include "referee/ops/factories.h"

namespace crossbind::referee {
namespace {

template <typename T>
class LinearOp final : public Op<T> {
 public:
  LinearOp(const model::Linear& layer, const Math<T>& math)
      : bias_(layer.bias),
        affine_(math, layer.in_features, layer.out_features) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    affine_.forward(x.input(), x.parameter(0), biases(x), out);
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    affine_.backward(x.input(),
                     x.parameter(0),
                     dout,
                     gradients.inputs[0],
                     *gradients.parameters[0],
                     biases(gradients));
  }

  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    affine_.forward_error({x.input()}, x.parameter(0), biases(x), variance);
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    affine_.backward_error({x.input()},
                           x.parameter(0),
                           {dout, &dout_variance},
                           variances.inputs[0],
                           *variances.parameters[0],
                           biases(variances));
  }

 private:
  [[nodiscard]] typename Affine<T>::Biases biases(const Operands<T>& x) const {
    return bias_ ? typename Affine<T>::Biases{&x.parameter(1)} : typename Affine<T>::Biases{};
  }
  [[nodiscard]] std::vector<Array<T>*> biases(const Gradients<T>& gradients) const {
    return bias_ ? std::vector<Array<T>*>{gradients.parameters[1]} : std::vector<Array<T>*>{};
  }

  bool bias_;
  Affine<T> affine_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Linear& layer, const Math<T>& math) {
  return std::make_unique<LinearOp<T>>(layer, math);
}

CROSSBIND_INSTANTIATE_OP(Linear);

}  // namespace crossbind::referee
