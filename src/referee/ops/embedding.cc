#include "referee/ops/factories.h"

namespace crossbind::referee {
namespace {

template <typename T>
class EmbeddingOp final : public Op<T> {
 public:
  explicit EmbeddingOp(const model::Embedding& layer) : layer_(layer) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    for (int64_t row = 0; row < out.rows(); ++row) {
      std::copy_n(x.parameter(0).data() + entry(x, out, row) * width(),
                  width(),
                  out.data() + row * width());
    }
  }

  void backward(const Operands<T>& x,
                const Array<T>& out,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    scatter(x, out, dout, *gradients.parameters[0]);
  }

  void forward_error(const Operands<T>&, const Array<T>&, Array<T>&) override {}  // exact

  void backward_error(const Operands<T>& x,
                      const Array<T>& out,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    auto& vdw = *variances.parameters[0];
    scatter(x, out, dout_variance, vdw);
    Array<T> scale(vdw.shape);
    scatter(x, out, absolute(dout), scale);
    std::vector<int64_t> uses(static_cast<size_t>(layer_.entries));
    for (int64_t row = 0; row < out.rows(); ++row) {
      ++uses[static_cast<size_t>(entry(x, out, row))];
    }
    for (int64_t i = 0; i < scale.size(); ++i) {
      vdw[i] += static_cast<T>(uses[static_cast<size_t>(i / width())]) * square(scale[i]);
    }
  }

 private:
  [[nodiscard]] int64_t width() const { return layer_.width; }

  // The table row that an output row comes from.
  [[nodiscard]] int64_t entry(const Operands<T>& x, const Array<T>& out, int64_t row) const {
    return layer_.kind == model::EmbeddingKind::kPosition ? row % out.shape[1]
                                                          : static_cast<int64_t>(x.input()[row]);
  }

  void scatter(const Operands<T>& x,
               const Array<T>& out,
               const Array<T>& rows,
               Array<T>& table) const {
    for (int64_t row = 0; row < rows.rows(); ++row) {
      const int64_t target = entry(x, out, row);
      if (target == layer_.padding_index) {
        continue;
      }
      for (int64_t i = 0; i < width(); ++i) {
        table[target * width() + i] += rows[row * width() + i];
      }
    }
  }

  model::Embedding layer_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Embedding& layer, const Math<T>&) {
  return std::make_unique<EmbeddingOp<T>>(layer);
}

CROSSBIND_INSTANTIATE_OP(Embedding);

}  // namespace crossbind::referee
