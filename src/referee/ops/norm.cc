// Batch and layer normalisation. Both subtract the mean of a group, divide by its deviation, then
// scale and shift; they differ in what a group is (a channel over the batch, or one row) and in
// which scale belongs to an element. A layout says both, and one implementation serves the two.
#include "referee/bound.h"
#include "referee/ops/factories.h"

namespace crossbind::referee {
namespace {

// A group is a channel: its elements are spread over samples and positions.
struct ChannelLayout {
  static constexpr bool kOneScalePerGroup = true;
  int64_t batch, channels, positions;

  explicit ChannelLayout(const Shape& shape)
      : batch(shape[0]),
        channels(shape[1]),
        positions(count_of(shape) / (shape[0] * shape[1])) {}
  [[nodiscard]] int64_t groups() const { return channels; }
  [[nodiscard]] int64_t count() const { return batch * positions; }
  [[nodiscard]] int64_t offset(int64_t group, int64_t i) const {
    return (i / positions * channels + group) * positions + i % positions;
  }
  [[nodiscard]] int64_t affine(int64_t group, int64_t) const { return group; }
  [[nodiscard]] int64_t terms() const { return count(); }  // summed into one scale gradient
};

// A group is a row of the last dimension.
struct RowLayout {
  static constexpr bool kOneScalePerGroup = false;
  int64_t rows, features;

  explicit RowLayout(const Shape& shape)
      : rows(count_of(shape) / shape.back()),
        features(shape.back()) {}
  [[nodiscard]] int64_t groups() const { return rows; }
  [[nodiscard]] int64_t count() const { return features; }
  [[nodiscard]] int64_t offset(int64_t group, int64_t i) const { return group * features + i; }
  [[nodiscard]] int64_t affine(int64_t, int64_t i) const { return i; }
  [[nodiscard]] int64_t terms() const { return rows; }
};

// Mean, biased variance and 1 / sqrt(variance + epsilon) of a group, and the variances of the
// errors of the first two. Every library sums such long rows in blocks, so K is capped; a plain
// loop over a hundred thousand values would still stay inside the bound, at about 3 units.
constexpr int64_t kLongestSum = 4096;

template <typename T>
struct Statistics {
  T mean = 0;
  T variance = 0;
  T inverse = 0;
  T mean_error = 0;
  T variance_error = 0;
};

template <typename T, typename Layout>
Statistics<T> statistics_of(
    const Math<T>& math, const Array<T>& x, const Layout& layout, int64_t group, T epsilon) {
  const auto n = static_cast<T>(layout.count());
  const auto value = [&](int64_t i) { return x[layout.offset(group, i)]; };
  Statistics<T> s;
  s.mean = math.sum(layout.count(), value) / n;
  s.variance = math.sum(layout.count(), [&](int64_t i) { return square(value(i) - s.mean); }) / n;
  s.inverse = 1 / std::sqrt(s.variance + epsilon);
  return s;
}

template <typename T, typename Layout>
void add_errors(const Array<T>& x, const Layout& layout, int64_t group, Statistics<T>& s) {
  const auto n = static_cast<T>(layout.count());
  const auto terms = static_cast<T>(std::min(layout.count(), kLongestSum));
  T magnitude = 0;
  for (int64_t i = 0; i < layout.count(); ++i) {
    magnitude += std::abs(x[layout.offset(group, i)]);
  }
  s.mean_error = terms * square(magnitude / n);
  // The sum of squared differences from a mean that is itself off, which counts twice over.
  s.variance_error =
      terms * square(s.variance + square(static_cast<T>(kUnitRoundoff)) * s.mean_error);
}

template <typename T, typename Layout>
class NormOp : public Op<T> {
 public:
  NormOp(double epsilon, const Math<T>& math) : epsilon_(static_cast<T>(epsilon)), math_(math) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    const Layout layout(x.input().shape);
    groups_.resize(static_cast<size_t>(layout.groups()));
    for (int64_t g = 0; g < layout.groups(); ++g) {
      auto& s = group(g);
      s = statistics(x, layout, g);
      for (int64_t i = 0; i < layout.count(); ++i) {
        const int64_t at = layout.offset(g, i);
        const int64_t a = layout.affine(g, i);
        out[at] = (x.input()[at] - s.mean) * s.inverse * x.parameter(0)[a] + x.parameter(1)[a];
      }
    }
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    const Layout layout(x.input().shape);
    auto* dx = gradients.inputs[0];
    auto& dscale = *gradients.parameters[0];
    auto& dshift = *gradients.parameters[1];
    for (int64_t g = 0; g < layout.groups(); ++g) {
      const auto normal = [&](int64_t i) { return normalised(x, layout, g, i); };
      for (int64_t i = 0; i < layout.count(); ++i) {
        const int64_t a = layout.affine(g, i);
        dscale[a] += dout[layout.offset(g, i)] * normal(i);
        dshift[a] += dout[layout.offset(g, i)];
      }
      if (dx == nullptr) {
        continue;
      }
      const auto scaled = [&](int64_t i) {
        return dout[layout.offset(g, i)] * x.parameter(0)[layout.affine(g, i)];
      };
      if (!uses_batch_statistics(x)) {
        for (int64_t i = 0; i < layout.count(); ++i) {
          (*dx)[layout.offset(g, i)] += group(g).inverse * scaled(i);
        }
        continue;
      }
      const auto n = static_cast<T>(layout.count());
      const T mean = math_.sum(layout.count(), scaled) / n;
      const T projection =
          math_.sum(layout.count(), [&](int64_t i) { return scaled(i) * normal(i); }) / n;
      for (int64_t i = 0; i < layout.count(); ++i) {
        (*dx)[layout.offset(g, i)] +=
            group(g).inverse * (scaled(i) - mean - normal(i) * projection);
      }
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>& out, Array<T>& variance) override {
    const Layout layout(x.input().shape);
    (void)out;
    for (int64_t g = 0; g < layout.groups(); ++g) {
      auto& s = group(g);
      if (uses_batch_statistics(x)) {
        add_errors(x.input(), layout, g, s);
      }
      for (int64_t i = 0; i < layout.count(); ++i) {
        const int64_t at = layout.offset(g, i);
        const int64_t a = layout.affine(g, i);
        const T scale = x.parameter(0)[a];
        const T size = std::abs(scale) * s.inverse * (std::abs(x.input()[at]) + std::abs(s.mean)) +
                       std::abs(x.parameter(1)[a]);
        variance[at] += 4 * square(size) + square(scale) * normal_error(x, layout, g, i);
      }
    }
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    const Layout layout(x.input().shape);
    const Incoming incoming{dout, dout_variance};
    Sizes sizes{Array<T>(variances.parameters[0]->shape), Array<T>(variances.parameters[1]->shape)};
    for (int64_t g = 0; g < layout.groups(); ++g) {
      affine_error(x, layout, g, incoming, variances, sizes);
      if (auto* vdx = variances.inputs[0]) {
        input_error(x, layout, g, incoming, *vdx);
      }
    }
    for (int64_t a = 0; a < sizes.scale.size(); ++a) {
      (*variances.parameters[0])[a] += static_cast<T>(layout.terms()) * square(sizes.scale[a]);
      (*variances.parameters[1])[a] += static_cast<T>(layout.terms()) * square(sizes.shift[a]);
    }
  }

 protected:
  [[nodiscard]] virtual bool uses_batch_statistics(const Operands<T>&) const { return true; }
  [[nodiscard]] virtual Statistics<T> statistics(const Operands<T>& x,
                                                 const Layout& layout,
                                                 int64_t g) {
    return statistics_of(math_, x.input(), layout, g, epsilon_);
  }
  [[nodiscard]] Statistics<T>& group(int64_t g) { return groups_[static_cast<size_t>(g)]; }
  [[nodiscard]] T epsilon() const { return epsilon_; }

 private:
  struct Incoming {  // the gradient from above and the variance of its error
    const Array<T>& gradient;
    const Array<T>& variance;
  };
  struct Sizes {  // the S of the sums that make the gradients of scale and shift
    Array<T> scale;
    Array<T> shift;
  };

  [[nodiscard]] T normalised(const Operands<T>& x, const Layout& layout, int64_t g, int64_t i) {
    return (x.input()[layout.offset(g, i)] - group(g).mean) * group(g).inverse;
  }

  // The part of (x - mean) / deviation's error that comes from the statistics.
  [[nodiscard]] T normal_error(const Operands<T>& x, const Layout& layout, int64_t g, int64_t i) {
    const auto& s = group(g);
    const T slope = normalised(x, layout, g, i) * square(s.inverse) / 2;
    return square(s.inverse) * s.mean_error + square(slope) * s.variance_error;
  }

  void affine_error(const Operands<T>& x,
                    const Layout& layout,
                    int64_t g,
                    const Incoming& incoming,
                    const Gradients<T>& variances,
                    Sizes& sizes) {
    const auto& s = group(g);
    const auto& dout = incoming.gradient;
    T sum = 0;
    T projection = 0;
    for (int64_t i = 0; i < layout.count(); ++i) {
      const int64_t at = layout.offset(g, i);
      const int64_t a = layout.affine(g, i);
      const T normal = normalised(x, layout, g, i);
      const T rough = s.inverse * (std::abs(x.input()[at]) + std::abs(s.mean));
      (*variances.parameters[0])[a] += square(normal) * incoming.variance[at];
      (*variances.parameters[1])[a] += incoming.variance[at];
      sizes.scale[a] += std::abs(dout[at]) * rough;
      sizes.shift[a] += std::abs(dout[at]);
      sum += dout[at];
      projection += dout[at] * normal;
    }
    // A group's statistics are off by the same amount for all its elements: these errors do not
    // average out. Where one scale belongs to a whole group they hit it as a whole; elsewhere an
    // element of the group is hit alone.
    if constexpr (Layout::kOneScalePerGroup) {
      (*variances.parameters[0])[g] +=
          square(sum * s.inverse) * s.mean_error +
          square(projection * square(s.inverse) / 2) * s.variance_error;
    } else {
      for (int64_t i = 0; i < layout.count(); ++i) {
        (*variances.parameters[0])[layout.affine(g, i)] +=
            square(dout[layout.offset(g, i)]) * normal_error(x, layout, g, i);
      }
    }
  }

  void input_error(const Operands<T>& x,
                   const Layout& layout,
                   int64_t g,
                   const Incoming& incoming,
                   Array<T>& vdx) {
    const auto& s = group(g);
    const auto& dout = incoming.gradient;
    if (!uses_batch_statistics(x)) {  // a factor that does not depend on the input
      for (int64_t i = 0; i < layout.count(); ++i) {
        const int64_t at = layout.offset(g, i);
        const T scale = x.parameter(0)[layout.affine(g, i)];
        vdx[at] += square(s.inverse * scale) * (incoming.variance[at] + 4 * square(dout[at]));
      }
      return;
    }
    const auto n = static_cast<T>(layout.count());
    T mean_size = 0, projection_size = 0, projection = 0, mean_spread = 0, projection_spread = 0;
    for (int64_t i = 0; i < layout.count(); ++i) {
      const int64_t at = layout.offset(g, i);
      const T scale = x.parameter(0)[layout.affine(g, i)];
      const T normal = normalised(x, layout, g, i);
      const T scaled = std::abs(dout[at] * scale);
      mean_size += scaled / n;
      projection_size += scaled * std::abs(normal) / n;
      projection += dout[at] * scale * normal / n;
      mean_spread += square(scale / n) * incoming.variance[at];
      projection_spread += square(scale * normal / n) * incoming.variance[at];
    }
    const T deviation_error = square(square(s.inverse) / 2) * s.variance_error;  // relative
    for (int64_t i = 0; i < layout.count(); ++i) {
      const int64_t at = layout.offset(g, i);
      const T scale = x.parameter(0)[layout.affine(g, i)];
      const T normal = normalised(x, layout, g, i);
      const T size = std::abs(dout[at] * scale) + mean_size + std::abs(normal) * projection_size;
      const T inherited =
          square(scale) * incoming.variance[at] + mean_spread + square(normal) * projection_spread;
      const T sums = n * (square(mean_size) + square(normal * projection_size));
      const T statistics =
          normal_error(x, layout, g, i) * square(projection) + square(size) * deviation_error;
      vdx[at] += square(s.inverse) * (inherited + 4 * square(size) + sums + statistics);
    }
  }

  T epsilon_;
  const Math<T>& math_;
  std::vector<Statistics<T>> groups_;
};

template <typename T>
class BatchNormOp final : public NormOp<T, ChannelLayout> {
 public:
  BatchNormOp(const model::BatchNorm& layer, const Math<T>& math)
      : NormOp<T, ChannelLayout>(layer.epsilon, math),
        layer_(layer) {}

  void update_buffers(const Operands<T>& x) override {
    const ChannelLayout layout(x.input().shape);
    const T weight = static_cast<T>(layer_.momentum);
    for (int64_t g = 0; g < layout.groups(); ++g) {
      const auto& s = this->group(g);
      T& mean = (*x.parameters[2])[g];
      T& variance = (*x.parameters[3])[g];
      mean = (1 - weight) * mean + weight * s.mean;
      variance = (1 - weight) * variance + weight * correction(layout) * s.variance;
    }
  }

  void buffer_error(const Operands<T>& x, const std::vector<Array<T>*>& variances) override {
    const ChannelLayout layout(x.input().shape);
    const T weight = static_cast<T>(layer_.momentum);
    for (int64_t g = 0; g < layout.groups(); ++g) {
      const auto& s = this->group(g);
      const T mean = (1 - weight) * std::abs(x.parameter(2)[g]) + weight * std::abs(s.mean);
      const T variance =
          (1 - weight) * std::abs(x.parameter(3)[g]) + weight * correction(layout) * s.variance;
      (*variances[2])[g] = 3 * square(mean) + square(weight) * s.mean_error;
      (*variances[3])[g] =
          3 * square(variance) + square(weight * correction(layout)) * s.variance_error;
    }
  }

 protected:
  [[nodiscard]] bool uses_batch_statistics(const Operands<T>& x) const override {
    return x.mode == Mode::kTrain;
  }
  [[nodiscard]] Statistics<T> statistics(const Operands<T>& x,
                                         const ChannelLayout& layout,
                                         int64_t g) override {
    if (uses_batch_statistics(x)) {
      return NormOp<T, ChannelLayout>::statistics(x, layout, g);
    }
    const T variance = x.parameter(3)[g];
    return {x.parameter(2)[g], variance, 1 / std::sqrt(variance + this->epsilon()), 0, 0};
  }

 private:
  [[nodiscard]] T correction(const ChannelLayout& layout) const {
    const auto n = static_cast<T>(layout.count());
    return layer_.running_variance == model::RunningVariance::kUnbiased ? n / std::max(n - 1, T{1})
                                                                        : T{1};
  }

  model::BatchNorm layer_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::BatchNorm& layer, const Math<T>& math) {
  return std::make_unique<BatchNormOp<T>>(layer, math);
}

template <typename T>
OpPointer<T> make_op_for(const model::LayerNorm& layer, const Math<T>& math) {
  return std::make_unique<NormOp<T, RowLayout>>(layer.epsilon, math);
}

CROSSBIND_INSTANTIATE_OP(BatchNorm);
CROSSBIND_INSTANTIATE_OP(LayerNorm);

}  // namespace crossbind::referee
