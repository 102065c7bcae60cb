// Multi-head self-attention: Q, K, V = x W^T + b; P = softmax(Q K^T / sqrt(d)) over the kept keys;
// y = (P V) W_o^T + b_o. Parameters in order: query, key, value, output, each weight then bias.
#include <array>
#include <cmath>
#include <limits>

#include "reference/functions.h"
#include "reference/ops/factories.h"
#include "reference/ops/gate.h"

namespace crossbind::reference {
namespace {

template <typename T>
class SelfAttentionOp final : public Op<T> {
 public:
  SelfAttentionOp(const model::SelfAttention& layer, const Math<T>& math)
      : layer_(layer),
        math_(math) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    batch_ = x.input().shape[0];
    steps_ = x.input().shape[1];
    for (size_t i = 0; i < 3; ++i) {
      projected_[i] = Array<T>(x.input().shape);
      project(x.input(), x.parameter(2 * i), x.parameter(2 * i + 1), projected_[i]);
    }
    scores_ = attention_ = Array<T>({batch_, layer_.heads, steps_, steps_});
    context_ = Array<T>(x.input().shape);
    for_each_head([&](int64_t n, const Head& head) {
      T* scores = scores_.data() + head.square;
      math_.multiply(
          steps_, steps_, depth(), in(0, head), transposed(1, head), scores, steps_, false);
      for (int64_t i = 0; i < steps_ * steps_; ++i) {
        scores[i] =
            is_kept(x, n, i % steps_) ? scores[i] * factor() : -std::numeric_limits<T>::infinity();
      }
      for (int64_t i = 0; i < steps_; ++i) {
        softmax_of(
            math_, scores + i * steps_, attention_.data() + head.square + i * steps_, steps_);
      }
      math_.multiply(steps_,
                     depth(),
                     steps_,
                     {attention_.data() + head.square, steps_},
                     in(2, head),
                     context_.data() + head.offset,
                     width(),
                     false);
    });
    project(context_, x.parameter(6), x.parameter(7), out);
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    Array<T> dcontext(context_.shape);
    project_back(context_,
                 x.parameter(6),
                 dout,
                 &dcontext,
                 *gradients.parameters[6],
                 *gradients.parameters[7]);
    dscores_ = dattention_ = Array<T>(scores_.shape);
    for (auto& d : dprojected_) {
      d = Array<T>(context_.shape);
    }
    for_each_head([&](int64_t, const Head& head) { head_back(head, dcontext); });
    for (size_t i = 0; i < 3; ++i) {
      project_back(x.input(),
                   x.parameter(2 * i),
                   dprojected_[i],
                   gradients.inputs[0],
                   *gradients.parameters[2 * i],
                   *gradients.parameters[2 * i + 1]);
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    for (size_t i = 0; i < 3; ++i) {
      vprojected_[i] = Array<T>(context_.shape);
      project_error(x.input(), nullptr, x.parameter(2 * i), x.parameter(2 * i + 1), vprojected_[i]);
    }
    vattention_ = Array<T>(scores_.shape);
    vcontext_ = Array<T>(context_.shape);
    for_each_head([&](int64_t, const Head& head) {
      std::vector<T> vscores(static_cast<size_t>(steps_ * steps_));
      add_product_error<T>(math_,
                           steps_,
                           steps_,
                           depth(),
                           in(0, head),
                           vprojected_[0].data() + head.offset,
                           transposed(1, head),
                           vprojected_[1].data() + head.offset,
                           vscores.data(),
                           steps_,
                           depth());
      for (auto& v : vscores) {
        v *= square(factor());
      }
      for (int64_t i = 0; i < steps_; ++i) {
        const int64_t at = head.square + i * steps_;
        softmax_error(scores_.data() + at,
                      attention_.data() + at,
                      vscores.data() + i * steps_,
                      vattention_.data() + at,
                      steps_);
      }
      add_product_error<T>(math_,
                           steps_,
                           depth(),
                           steps_,
                           {attention_.data() + head.square, steps_},
                           vattention_.data() + head.square,
                           in(2, head),
                           vprojected_[2].data() + head.offset,
                           vcontext_.data() + head.offset,
                           width(),
                           steps_);
    });
    project_error(context_, &vcontext_, x.parameter(6), x.parameter(7), variance);
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    // The gradients themselves first: the last backward() may have seen another dout.
    Array<T> dcontext(context_.shape), vdcontext(context_.shape),
        unused_weight(x.parameter(6).shape), unused_bias(x.parameter(7).shape);
    project_back(context_, x.parameter(6), dout, &dcontext, unused_weight, unused_bias);
    project_back_error(context_,
                       &vcontext_,
                       x.parameter(6),
                       dout,
                       dout_variance,
                       &vdcontext,
                       *variances.parameters[6],
                       *variances.parameters[7]);
    dscores_ = dattention_ = Array<T>(scores_.shape);
    std::array<Array<T>, 3> vdprojected;
    for (size_t i = 0; i < 3; ++i) {
      dprojected_[i] = vdprojected[i] = Array<T>(context_.shape);
    }
    for_each_head([&](int64_t, const Head& head) {
      head_back(head, dcontext);
      head_back_error(head, dcontext, vdcontext, vdprojected);
    });
    for (size_t i = 0; i < 3; ++i) {
      project_back_error(x.input(),
                         nullptr,
                         x.parameter(2 * i),
                         dprojected_[i],
                         vdprojected[i],
                         variances.inputs[0],
                         *variances.parameters[2 * i],
                         *variances.parameters[2 * i + 1]);
    }
  }

 private:
  struct Head {
    int64_t offset;  // of the head's first column in a [batch, steps, width] array
    int64_t square;  // of its matrix in a [batch, heads, steps, steps] array
  };

  [[nodiscard]] int64_t width() const { return layer_.width; }
  [[nodiscard]] int64_t depth() const { return layer_.width / layer_.heads; }
  [[nodiscard]] T factor() const { return 1 / std::sqrt(static_cast<T>(depth())); }
  [[nodiscard]] Operand<T> in(size_t which, const Head& head) const {
    return {projected_[which].data() + head.offset, width()};
  }
  [[nodiscard]] Operand<T> transposed(size_t which, const Head& head) const {
    return {projected_[which].data() + head.offset, width(), true};
  }
  [[nodiscard]] bool is_kept(const Operands<T>& x, int64_t n, int64_t key) const {
    return !layer_.masked || x.input(1)[n * steps_ + key] != 0;
  }

  template <typename Body>
  void for_each_head(Body body) const {
    for (int64_t n = 0; n < batch_; ++n) {
      for (int64_t h = 0; h < layer_.heads; ++h) {
        body(n, Head{n * steps_ * width() + h * depth(), (n * layer_.heads + h) * steps_ * steps_});
      }
    }
  }

  void project(const Array<T>& rows,
               const Array<T>& weight,
               const Array<T>& bias,
               Array<T>& result) const {
    add_bias(bias, false, result);
    math_.multiply(rows.rows(),
                   width(),
                   width(),
                   {rows.data(), width()},
                   {weight.data(), width(), true},
                   result.data(),
                   width(),
                   true);
  }

  void project_back(const Array<T>& rows,
                    const Array<T>& weight,
                    const Array<T>& d,
                    Array<T>* drows,
                    Array<T>& dweight,
                    Array<T>& dbias) const {
    if (drows != nullptr) {
      math_.multiply(d.rows(),
                     width(),
                     width(),
                     {d.data(), width()},
                     {weight.data(), width()},
                     drows->data(),
                     width(),
                     true);
    }
    math_.multiply(width(),
                   width(),
                   d.rows(),
                   {d.data(), width(), true},
                   {rows.data(), width()},
                   dweight.data(),
                   width(),
                   true);
    add_column_sums(math_, d, dbias);
  }

  void project_error(const Array<T>& rows,
                     const Array<T>* vrows,
                     const Array<T>& weight,
                     const Array<T>& bias,
                     Array<T>& variance) const {
    add_product_error<T>(math_,
                         rows.rows(),
                         width(),
                         width(),
                         {rows.data(), width()},
                         vrows == nullptr ? nullptr : vrows->data(),
                         {weight.data(), width(), true},
                         nullptr,
                         variance.data(),
                         width(),
                         width() + 1);
    for (int64_t i = 0; i < variance.size(); ++i) {
      variance[i] += static_cast<T>(width() + 1) * square(bias[i % width()]);
    }
  }

  void project_back_error(const Array<T>& rows,
                          const Array<T>* vrows,
                          const Array<T>& weight,
                          const Array<T>& d,
                          const Array<T>& vd,
                          Array<T>* vdrows,
                          Array<T>& vdweight,
                          Array<T>& vdbias) const {
    if (vdrows != nullptr) {
      add_product_error<T>(math_,
                           d.rows(),
                           width(),
                           width(),
                           {d.data(), width()},
                           vd.data(),
                           {weight.data(), width()},
                           nullptr,
                           vdrows->data(),
                           width(),
                           width());
    }
    add_product_error<T>(math_,
                         width(),
                         width(),
                         d.rows(),
                         {d.data(), width(), true},
                         vd.data(),
                         {rows.data(), width()},
                         vrows == nullptr ? nullptr : vrows->data(),
                         vdweight.data(),
                         width(),
                         d.rows());
    add_column_sums_error(math_, d, vd, vdbias);
  }

  void head_back(const Head& head, const Array<T>& dcontext) {
    const T* p = attention_.data() + head.square;
    T* dp = dattention_.data() + head.square;
    T* ds = dscores_.data() + head.square;
    const Operand<T> d{dcontext.data() + head.offset, width()};
    math_.multiply(steps_, steps_, depth(), d, transposed(2, head), dp, steps_, false);
    math_.multiply(steps_,
                   depth(),
                   steps_,
                   {p, steps_, true},
                   d,
                   dprojected_[2].data() + head.offset,
                   width(),
                   false);
    for (int64_t i = 0; i < steps_; ++i, p += steps_, dp += steps_, ds += steps_) {
      const T dot = math_.sum(steps_, [&](int64_t j) { return dp[j] * p[j]; });
      for (int64_t j = 0; j < steps_; ++j) {
        ds[j] = p[j] * (dp[j] - dot) * factor();
      }
    }
    const Operand<T> scores{dscores_.data() + head.square, steps_};
    math_.multiply(steps_,
                   depth(),
                   steps_,
                   scores,
                   in(1, head),
                   dprojected_[0].data() + head.offset,
                   width(),
                   false);
    math_.multiply(steps_,
                   depth(),
                   steps_,
                   {scores.data, steps_, true},
                   in(0, head),
                   dprojected_[1].data() + head.offset,
                   width(),
                   false);
  }

  void head_back_error(const Head& head,
                       const Array<T>& dcontext,
                       const Array<T>& vdcontext,
                       std::array<Array<T>, 3>& vdprojected) const {
    const Operand<T> p{attention_.data() + head.square, steps_};
    const T* vp = vattention_.data() + head.square;
    const Operand<T> d{dcontext.data() + head.offset, width()};
    const T* vd = vdcontext.data() + head.offset;
    std::vector<T> vdp(static_cast<size_t>(steps_ * steps_));
    add_product_error<T>(math_,
                         steps_,
                         steps_,
                         depth(),
                         d,
                         vd,
                         transposed(2, head),
                         vprojected_[2].data() + head.offset,
                         vdp.data(),
                         steps_,
                         depth());
    add_product_error<T>(math_,
                         steps_,
                         depth(),
                         steps_,
                         {p.data, steps_, true},
                         vp,
                         d,
                         vd,
                         vdprojected[2].data() + head.offset,
                         width(),
                         steps_);
    const auto vds = softmax_back_error(head, vdp);
    const Operand<T> ds{dscores_.data() + head.square, steps_};
    add_product_error<T>(math_,
                         steps_,
                         depth(),
                         steps_,
                         ds,
                         vds.data(),
                         in(1, head),
                         vprojected_[1].data() + head.offset,
                         vdprojected[0].data() + head.offset,
                         width(),
                         steps_);
    add_product_error<T>(math_,
                         steps_,
                         depth(),
                         steps_,
                         {ds.data, steps_, true},
                         vds.data(),
                         in(0, head),
                         vprojected_[0].data() + head.offset,
                         vdprojected[1].data() + head.offset,
                         width(),
                         steps_);
  }

  // Variances of ds = p (dp - sum(dp p)) / sqrt(d), with errors in p and dp.
  [[nodiscard]] std::vector<T> softmax_back_error(const Head& head,
                                                  const std::vector<T>& vdp) const {
    std::vector<T> result(vdp.size());
    for (int64_t i = 0; i < steps_; ++i) {
      const int64_t at = head.square + i * steps_;
      const int64_t own = i * steps_;
      T dot = 0, size = 0, spread = 0;
      for (int64_t j = 0; j < steps_; ++j) {
        const T p = attention_[at + j], dp = dattention_[at + j];
        dot += p * dp;
        size += p * std::abs(dp);
        spread += square(p) * vdp[static_cast<size_t>(own + j)] + square(dp) * vattention_[at + j];
      }
      for (int64_t j = 0; j < steps_; ++j) {
        const T p = attention_[at + j], dp = dattention_[at + j];
        const auto k = static_cast<size_t>(own + j);
        result[k] = square(factor()) *
                    (square(p) * (vdp[k] + spread) + square(dp - dot) * vattention_[at + j] +
                     static_cast<T>(steps_ + 3) * square(p * (std::abs(dp) + size)));
      }
    }
    return result;
  }

  model::SelfAttention layer_;
  const Math<T>& math_;
  int64_t batch_ = 0;
  int64_t steps_ = 0;
  std::array<Array<T>, 3> projected_;      // Q, K, V
  Array<T> scores_, attention_, context_;  // S, P, P V
  std::array<Array<T>, 3> vprojected_;     // their errors' variances
  Array<T> vattention_, vcontext_;
  std::array<Array<T>, 3> dprojected_;
  Array<T> dscores_, dattention_;
};

}  // namespace

template <typename T>
OpPointer<T> make_op_for(const model::SelfAttention& layer, const Math<T>& math) {
  return std::make_unique<SelfAttentionOp<T>>(layer, math);
}

CROSSBIND_INSTANTIATE_OP(SelfAttention);

}  // namespace crossbind::reference
