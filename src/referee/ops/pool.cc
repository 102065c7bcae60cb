#include "referee/ops/factories.h"
#include "referee/ops/window.h"

namespace crossbind::referee {
namespace {

// Calls visit(output offset, input plane offset, row, column) for every element of the output.
template <typename Visit>
void for_each_window(const Window& window, int64_t planes, Visit visit) {
  int64_t out = 0;
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (int64_t row = 0; row < window.out_height; ++row) {
      for (int64_t column = 0; column < window.out_width; ++column, ++out) {
        visit(out, plane * window.in_plane(), row, column);
      }
    }
  }
}

template <typename T>
class MaxPoolOp final : public Op<T> {
 public:
  explicit MaxPoolOp(const model::MaxPool2d& layer) : layer_(layer) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    const auto& in = x.input();
    const Window window(in.shape, out.shape, layer_.kernel, layer_.stride, layer_.pads);
    winners_.resize(out.values.size());
    for_each_window(window,
                    in.shape[0] * in.shape[1],
                    [&](int64_t o, int64_t plane, int64_t row, int64_t column) {
                      int64_t winner = -1;
                      T best = 0;
                      window.visit(row, column, [&](int64_t offset, int64_t) {
                        // A tie stays with the first; a NaN wins, as it should.
                        const T value = in[plane + offset];
                        if (winner < 0 || value > best || std::isnan(value)) {
                          winner = plane + offset;
                          best = value;
                        }
                      });
                      winners_[static_cast<size_t>(o)] = winner;
                      out[o] = best;
                    });
  }

  void backward(const Operands<T>&,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      for (int64_t o = 0; o < dout.size(); ++o) {
        (*dx)[winners_[static_cast<size_t>(o)]] += dout[o];
      }
    }
  }

  void forward_error(const Operands<T>&, const Array<T>&, Array<T>&) override {}  // exact

  void backward_error(const Operands<T>& x,
                      const Array<T>& out,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    backward(x, out, dout_variance, variances);
    if (variances.inputs[0] != nullptr && overlaps()) {
      Array<T> scale(x.input().shape);
      backward(x, out, absolute(dout), {{&scale}, {}});
      const auto terms = static_cast<T>(layer_.kernel.height * layer_.kernel.width);
      for (int64_t i = 0; i < scale.size(); ++i) {
        (*variances.inputs[0])[i] += terms * square(scale[i]);
      }
    }
  }

 private:
  [[nodiscard]] bool overlaps() const {
    return layer_.stride.height < layer_.kernel.height || layer_.stride.width < layer_.kernel.width;
  }

  model::MaxPool2d layer_;
  std::vector<int64_t> winners_;
};

// Average pooling; the global one is a single window over the whole plane.
template <typename T>
class AvgPoolOp final : public Op<T> {
 public:
  explicit AvgPoolOp(const model::AvgPool2d& layer) : layer_(layer), global_(false) {}
  AvgPoolOp() : global_(true) {}

  void forward(const Operands<T>& x, Array<T>& out) override { pool(x.input(), out); }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      spread(x.input().shape, dout, 1, *dx);
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>& out, Array<T>& variance) override {
    const auto window = window_of(x.input().shape, out.shape);
    Array<T> scale(out.shape);
    pool(absolute(x.input()), scale);
    for (int64_t i = 0; i < scale.size(); ++i) {
      variance[i] += static_cast<T>(window.kernel_size()) * square(scale[i]);
    }
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    if (auto* vdx = variances.inputs[0]) {
      const auto window = window_of(x.input().shape, dout.shape);
      spread(x.input().shape, dout_variance, 2, *vdx);
      Array<T> scale(x.input().shape);
      spread(x.input().shape, absolute(dout), 1, scale);
      for (int64_t i = 0; i < scale.size(); ++i) {
        (*vdx)[i] += static_cast<T>(window.kernel_size()) * square(scale[i]);
      }
    }
  }

 private:
  [[nodiscard]] Window window_of(const Shape& in, const Shape& out) const {
    if (global_) {
      const model::Pair whole{in[2], in[3]};
      return {in, {out[0], out[1], 1, 1}, whole, whole, {}};
    }
    return {in, out, layer_.kernel, layer_.stride, layer_.pads};
  }

  [[nodiscard]] T divisor(const Window& window, int64_t row, int64_t column) const {
    if (global_ || layer_.count_padding) {
      return static_cast<T>(window.kernel_size());
    }
    int64_t count = 0;
    window.visit(row, column, [&](int64_t, int64_t) { ++count; });
    return static_cast<T>(count);
  }

  void pool(const Array<T>& in, Array<T>& out) const {
    const auto window = window_of(in.shape, out.shape);
    for_each_window(window,
                    in.shape[0] * in.shape[1],
                    [&](int64_t o, int64_t plane, int64_t row, int64_t column) {
                      T sum = 0;
                      window.visit(
                          row, column, [&](int64_t offset, int64_t) { sum += in[plane + offset]; });
                      out[o] = sum / divisor(window, row, column);
                    });
  }

  // Adds value / divisor^power to every element of the window that the value came from.
  void spread(const Shape& in, const Array<T>& values, int power, Array<T>& target) const {
    const auto window = window_of(in, values.shape);
    for_each_window(
        window, in[0] * in[1], [&](int64_t o, int64_t plane, int64_t row, int64_t column) {
          const T count = divisor(window, row, column);
          const T share = values[o] / (power == 2 ? count * count : count);
          window.visit(
              row, column, [&](int64_t offset, int64_t) { target[plane + offset] += share; });
        });
  }

  model::AvgPool2d layer_;
  bool global_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::MaxPool2d& layer, const Math<T>&) {
  return std::make_unique<MaxPoolOp<T>>(layer);
}

template <typename T>
OpPointer<T> make_op_for(const model::AvgPool2d& layer, const Math<T>&) {
  return std::make_unique<AvgPoolOp<T>>(layer);
}

template <typename T>
OpPointer<T> make_op_for(const model::GlobalAvgPool&, const Math<T>&) {
  return std::make_unique<AvgPoolOp<T>>();
}

CROSSBIND_INSTANTIATE_OP(MaxPool2d);
CROSSBIND_INSTANTIATE_OP(AvgPool2d);
CROSSBIND_INSTANTIATE_OP(GlobalAvgPool);

}  // namespace crossbind::referee
