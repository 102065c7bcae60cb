// Convolution as matrix products over unfolded windows, one sample at a time.
#include "reference/ops/factories.h"
#include "reference/ops/window.h"

namespace crossbind::reference {
namespace {

constexpr int64_t kSamplesPerPiece = 16;  // samples whose weight gradients are summed by one thread

// columns[(c, i, j), (row, column)] = the padded input at that window position.
template <typename T>
void unfold(const Window& window, int64_t channels, const T* image, T* columns) {
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < window.kernel.height; ++i) {
      for (int64_t j = 0; j < window.kernel.width; ++j) {
        const auto [begin, end] = window.valid_columns(j);
        for (int64_t row = 0; row < window.out_height; ++row, columns += window.out_width) {
          const int64_t y = row * window.stride.height - window.pads.top + i;
          if (y < 0 || y >= window.height || begin >= end) {
            std::fill_n(columns, window.out_width, T{0});
            continue;
          }
          std::fill_n(columns, begin, T{0});
          const T* source = image + c * window.in_plane() + y * window.width + j - window.pads.left;
          for (int64_t column = begin; column < end; ++column) {
            columns[column] = source[column * window.stride.width];
          }
          std::fill(columns + end, columns + window.out_width, T{0});
        }
      }
    }
  }
}

// The adjoint of unfold: adds every column entry back to where it came from.
template <typename T>
void fold(const Window& window, int64_t channels, const T* columns, T* image) {
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < window.kernel.height; ++i) {
      for (int64_t j = 0; j < window.kernel.width; ++j) {
        const auto [begin, end] = window.valid_columns(j);
        for (int64_t row = 0; row < window.out_height; ++row, columns += window.out_width) {
          const int64_t y = row * window.stride.height - window.pads.top + i;
          if (y < 0 || y >= window.height) {
            continue;
          }
          T* target = image + c * window.in_plane() + y * window.width + j - window.pads.left;
          for (int64_t column = begin; column < end; ++column) {
            target[column * window.stride.width] += columns[column];
          }
        }
      }
    }
  }
}

template <typename T>
class Conv2dOp final : public Op<T> {
 public:
  Conv2dOp(const model::Conv2d& layer, const Math<T>& math) : layer_(layer), math_(math) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    if (layer_.bias) {
      const int64_t plane = out.shape[2] * out.shape[3];
      for (int64_t i = 0; i < out.size() / plane; ++i) {
        std::fill_n(out.data() + i * plane, plane, x.parameter(1)[i % layer_.out_channels]);
      }
    }
    convolve(x.input(), x.parameter(0), out);
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    if (auto* dx = gradients.inputs[0]) {
      input_gradient(x.parameter(0), dout, *dx);
    }
    weight_gradient(x.input(), dout, *gradients.parameters[0]);
    if (layer_.bias) {
      auto& db = *gradients.parameters[1];
      for_each_channel(dout, [&](int64_t channel, int64_t count, auto offset) {
        db[channel] += math_.sum(count, [&](int64_t i) { return dout[offset(i)]; });
      });
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>& out, Array<T>& variance) override {
    Operands<T> magnitudes = x;
    const auto inputs = absolute(x.input());
    auto weights = absolute(x.parameter(0));
    auto biases = layer_.bias ? absolute(x.parameter(1)) : Array<T>();
    magnitudes.inputs = {&inputs};
    magnitudes.parameters = {&weights, &biases};
    Array<T> scale(out.shape);
    forward(magnitudes, scale);
    add_squares(variance, scale, terms() + (layer_.bias ? 1 : 0));
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    const auto gradient = absolute(dout);
    if (auto* vdx = variances.inputs[0]) {
      Array<T> scale(vdx->shape);
      input_gradient(absolute(x.parameter(0)), gradient, scale);
      add_squares(*vdx, scale, layer_.out_channels * layer_.kernel.height * layer_.kernel.width);
      input_gradient(squared(x.parameter(0)), dout_variance, *vdx);
    }
    auto& vdw = *variances.parameters[0];
    const int64_t windows = dout.size() / layer_.out_channels;
    Array<T> scale(vdw.shape);
    weight_gradient(absolute(x.input()), gradient, scale);
    add_squares(vdw, scale, windows);
    weight_gradient(squared(x.input()), dout_variance, vdw);
    if (layer_.bias) {
      auto& vdb = *variances.parameters[1];
      for_each_channel(dout, [&](int64_t channel, int64_t count, auto offset) {
        const T sum = math_.sum(count, [&](int64_t i) { return gradient[offset(i)]; });
        vdb[channel] += static_cast<T>(count) * square(sum) +
                        math_.sum(count, [&](int64_t i) { return dout_variance[offset(i)]; });
      });
    }
  }

 private:
  [[nodiscard]] int64_t terms() const {
    return layer_.in_channels * layer_.kernel.height * layer_.kernel.width;
  }
  [[nodiscard]] Window window(const Shape& in, const Shape& out) const {
    return {in, out, layer_.kernel, layer_.stride, layer_.pads};
  }

  static void add_squares(Array<T>& variance, const Array<T>& scale, int64_t count) {
    for (int64_t i = 0; i < variance.size(); ++i) {
      variance[i] += static_cast<T>(count) * square(scale[i]);
    }
  }

  template <typename Body>
  void for_each_channel(const Array<T>& array, Body body) const {
    const int64_t plane = array.shape[2] * array.shape[3];
    const int64_t channels = layer_.out_channels;
    for (int64_t channel = 0; channel < channels; ++channel) {
      body(channel, array.batch() * plane, [=](int64_t i) {
        return (i / plane * channels + channel) * plane + i % plane;
      });
    }
  }

  void convolve(const Array<T>& in, const Array<T>& weight, Array<T>& out) const {
    const Window w = window(in.shape, out.shape);
    math_.for_each(in.batch(), [&](int64_t n) {
      std::vector<T> columns(static_cast<size_t>(terms() * w.out_plane()));
      unfold(
          w, layer_.in_channels, in.data() + n * layer_.in_channels * w.in_plane(), columns.data());
      math_.multiply(layer_.out_channels,
                     w.out_plane(),
                     terms(),
                     {weight.data(), terms()},
                     {columns.data(), w.out_plane()},
                     out.data() + n * layer_.out_channels * w.out_plane(),
                     w.out_plane(),
                     true);
    });
  }

  void input_gradient(const Array<T>& weight, const Array<T>& dout, Array<T>& dx) const {
    const Window w = window(dx.shape, dout.shape);
    math_.for_each(dx.batch(), [&](int64_t n) {
      std::vector<T> columns(static_cast<size_t>(terms() * w.out_plane()));
      math_.multiply(terms(),
                     w.out_plane(),
                     layer_.out_channels,
                     {weight.data(), terms(), true},
                     {dout.data() + n * layer_.out_channels * w.out_plane(), w.out_plane()},
                     columns.data(),
                     w.out_plane(),
                     false);
      fold(
          w, layer_.in_channels, columns.data(), dx.data() + n * layer_.in_channels * w.in_plane());
    });
  }

  void weight_gradient(const Array<T>& in, const Array<T>& dout, Array<T>& dw) const {
    const Window w = window(in.shape, dout.shape);
    const int64_t pieces = (in.batch() + kSamplesPerPiece - 1) / kSamplesPerPiece;
    std::vector<Array<T>> partial(static_cast<size_t>(pieces));
    math_.for_each(pieces, [&](int64_t piece) {
      auto& sum = partial[static_cast<size_t>(piece)] = Array<T>(dw.shape);
      std::vector<T> columns(static_cast<size_t>(terms() * w.out_plane()));
      const int64_t end = std::min(in.batch(), (piece + 1) * kSamplesPerPiece);
      for (int64_t n = piece * kSamplesPerPiece; n < end; ++n) {
        unfold(w,
               layer_.in_channels,
               in.data() + n * layer_.in_channels * w.in_plane(),
               columns.data());
        math_.multiply(layer_.out_channels,
                       terms(),
                       w.out_plane(),
                       {dout.data() + n * layer_.out_channels * w.out_plane(), w.out_plane()},
                       {columns.data(), w.out_plane(), true},
                       sum.data(),
                       terms(),
                       true);
      }
    });
    for (const auto& sum : partial) {
      std::ranges::transform(dw.values, sum.values, dw.values.begin(), std::plus<>());
    }
  }

  model::Conv2d layer_;
  const Math<T>& math_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::Conv2d& layer, const Math<T>& math) {
  return std::make_unique<Conv2dOp<T>>(layer, math);
}

CROSSBIND_INSTANTIATE_OP(Conv2d);

}  // namespace crossbind::reference
