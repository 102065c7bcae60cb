// Convolution as matrix products over unfolded windows, one sample at a time.
#include "referee/ops/factories.h"
#include "referee/ops/window.h"

namespace crossbind::referee {
namespace {

constexpr int64_t kSamplesPerPiece = 16;  // samples that one thread handles in a row

// One row of the output under kernel column j: the padded input row, every stride-th value.
template <typename T>
void unfold_row(const Window& window, int64_t j, const T* row, T* columns) {
  const auto [begin, end] = window.valid_columns(j);
  const T* source = row + j - window.pads.left;
  std::fill_n(columns, begin, T{0});
  if (window.stride.width == 1) {
    std::copy(source + begin, source + end, columns + begin);
  } else {
    for (int64_t column = begin; column < end; ++column) {
      columns[column] = source[column * window.stride.width];
    }
  }
  std::fill(columns + end, columns + window.out_width, T{0});
}

// columns[(c, i, j), (row, column)] = the padded input at that window position.
template <typename T>
void unfold(const Window& window, int64_t channels, const T* image, T* columns) {
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < window.kernel.height; ++i) {
      for (int64_t j = 0; j < window.kernel.width; ++j) {
        for (int64_t row = 0; row < window.out_height; ++row, columns += window.out_width) {
          const int64_t y = row * window.stride.height - window.pads.top + i;
          if (y < 0 || y >= window.height) {
            std::fill_n(columns, window.out_width, T{0});
          } else {
            unfold_row(window, j, image + c * window.in_plane() + y * window.width, columns);
          }
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
      for (int64_t channel = 0; channel < layer_.out_channels; ++channel) {
        (*gradients.parameters[1])[channel] += channel_sum(dout, channel);
      }
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
      for (int64_t channel = 0; channel < layer_.out_channels; ++channel) {
        (*variances.parameters[1])[channel] +=
            static_cast<T>(windows) * square(channel_sum(gradient, channel)) +
            channel_sum(dout_variance, channel);
      }
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

  // The sum of one channel over all samples and positions.
  [[nodiscard]] T channel_sum(const Array<T>& array, int64_t channel) const {
    const int64_t plane = array.shape[2] * array.shape[3];
    return math_.sum(array.batch(), [&](int64_t n) {
      const T* values = array.data() + (n * layer_.out_channels + channel) * plane;
      return math_.sum(plane, [&](int64_t i) { return values[i]; });
    });
  }

  // Calls body(piece, first sample, last sample + 1, scratch for one sample's columns) for runs of
  // samples; a run's samples follow each other in one thread.
  template <typename Body>
  void for_each_piece(int64_t batch, const Window& w, Body body) const {
    math_.for_each((batch + kSamplesPerPiece - 1) / kSamplesPerPiece, [&](int64_t piece) {
      Array<T> columns({terms(), w.out_plane()});
      const int64_t begin = piece * kSamplesPerPiece;
      body(piece, begin, std::min(batch, begin + kSamplesPerPiece), matrix(columns));
    });
  }

  // The planes of one sample as a channels x positions matrix.
  template <typename U>
  [[nodiscard]] static Matrix<U> planes(U* values, int64_t channels, int64_t positions, int64_t n) {
    return {values + n * channels * positions, channels, positions, positions};
  }
  [[nodiscard]] Matrix<const T> as_matrix(const Array<T>& weight) const {
    return {weight.data(), layer_.out_channels, terms(), terms()};
  }

  void convolve(const Array<T>& in, const Array<T>& weight, Array<T>& out) const {
    const Window w = window(in.shape, out.shape);
    for_each_piece(in.batch(), w, [&](int64_t, int64_t begin, int64_t end, Matrix<T> columns) {
      for (int64_t n = begin; n < end; ++n) {
        unfold(
            w, layer_.in_channels, in.data() + n * layer_.in_channels * w.in_plane(), columns.data);
        math_.multiply_add(
            as_matrix(weight), columns, planes(out.data(), layer_.out_channels, w.out_plane(), n));
      }
    });
  }

  void input_gradient(const Array<T>& weight, const Array<T>& dout, Array<T>& dx) const {
    const Window w = window(dx.shape, dout.shape);
    for_each_piece(dx.batch(), w, [&](int64_t, int64_t begin, int64_t end, Matrix<T> columns) {
      for (int64_t n = begin; n < end; ++n) {
        math_.multiply(as_matrix(weight).flipped(),
                       planes(dout.data(), layer_.out_channels, w.out_plane(), n),
                       columns);
        fold(
            w, layer_.in_channels, columns.data, dx.data() + n * layer_.in_channels * w.in_plane());
      }
    });
  }

  void weight_gradient(const Array<T>& in, const Array<T>& dout, Array<T>& dw) const {
    const Window w = window(in.shape, dout.shape);
    std::vector<Array<T>> partial(
        static_cast<size_t>((in.batch() + kSamplesPerPiece - 1) / kSamplesPerPiece));
    for_each_piece(
        in.batch(), w, [&](int64_t piece, int64_t begin, int64_t end, Matrix<T> columns) {
          auto& sum = partial[static_cast<size_t>(piece)] =
              Array<T>({layer_.out_channels, terms()});
          for (int64_t n = begin; n < end; ++n) {
            unfold(w,
                   layer_.in_channels,
                   in.data() + n * layer_.in_channels * w.in_plane(),
                   columns.data);
            math_.multiply_add(planes(dout.data(), layer_.out_channels, w.out_plane(), n),
                               columns.flipped(),
                               matrix(sum));
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

}  // namespace crossbind::referee
