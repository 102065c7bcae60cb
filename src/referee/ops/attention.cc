// Multi-head self-attention: Q, K, V = x W^T + b; P = softmax(Q K^T / sqrt(d)) over the kept keys;
// y = (P V) W_o^T + b_o. Parameters in order: query, key, value, output, each weight then bias.
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "referee/functions.h"
#include "referee/ops/affine.h"
#include "referee/ops/factories.h"

namespace crossbind::referee {
namespace {

template <typename T>
class SelfAttentionOp final : public Op<T> {
 public:
  SelfAttentionOp(const model::SelfAttention& layer, const Math<T>& math)
      : layer_(layer),
        math_(math),
        affine_(math, layer.width, layer.width) {}

  void forward(const Operands<T>& x, Array<T>& out) override {
    batch_ = x.input().shape[0];
    steps_ = x.input().shape[1];
    for (size_t i = 0; i < 3; ++i) {
      projected_[i] = Array<T>(x.input().shape);
      affine_.forward(x.input(), x.parameter(2 * i), {&x.parameter(2 * i + 1)}, projected_[i]);
    }
    scores_ = attention_ = Array<T>({batch_, layer_.heads, steps_, steps_});
    context_ = Array<T>(x.input().shape);
    for_each_head([&](const Head& head) {
      const auto scores = square_of(scores_, head);
      math_.multiply(part(projected_[0], head), part(projected_[1], head).flipped(), scores);
      for (int64_t i = 0; i < steps_ * steps_; ++i) {
        scores.data[i] = is_kept(x, head, i % steps_) ? scores.data[i] * factor()
                                                      : -std::numeric_limits<T>::infinity();
      }
      for (int64_t i = 0; i < steps_; ++i) {
        softmax_of(math_, &scores.at(i, 0), &square_of(attention_, head).at(i, 0), steps_);
      }
      math_.multiply(square_of(attention_, head), part(projected_[2], head), part(context_, head));
    });
    affine_.forward(context_, x.parameter(6), {&x.parameter(7)}, out);
  }

  void backward(const Operands<T>& x,
                const Array<T>&,
                const Array<T>& dout,
                const Gradients<T>& gradients) override {
    Array<T> dcontext(context_.shape);
    affine_.backward(context_,
                     x.parameter(6),
                     dout,
                     &dcontext,
                     *gradients.parameters[6],
                     {gradients.parameters[7]});
    differentiate_heads(dcontext);
    for (size_t i = 0; i < 3; ++i) {
      affine_.backward(x.input(),
                       x.parameter(2 * i),
                       dprojected_[i],
                       gradients.inputs[0],
                       *gradients.parameters[2 * i],
                       {gradients.parameters[2 * i + 1]});
    }
  }

  void forward_error(const Operands<T>& x, const Array<T>&, Array<T>& variance) override {
    for (size_t i = 0; i < 3; ++i) {
      vprojected_[i] = Array<T>(context_.shape);
      affine_.forward_error(
          {x.input()}, x.parameter(2 * i), {&x.parameter(2 * i + 1)}, vprojected_[i]);
    }
    vattention_ = Array<T>(scores_.shape);
    vcontext_ = Array<T>(context_.shape);
    for_each_head([&](const Head& head) {
      Array<T> vscores({steps_, steps_});
      auto key = uncertain(1, head);
      key.value = key.value.flipped();
      add_product_error<T>(math_, uncertain(0, head), key, depth(), matrix(vscores));
      for (auto& v : vscores.values) {
        v *= square(factor());
      }
      for (int64_t i = 0; i < steps_; ++i) {
        softmax_error<T>(&square_of(scores_, head).at(i, 0),
                         &square_of(attention_, head).at(i, 0),
                         vscores.data() + i * steps_,
                         &square_of(vattention_, head).at(i, 0),
                         steps_);
      }
      add_product_error<T>(
          math_,
          {square_of(std::as_const(attention_), head), square_of(vattention_, head).data},
          uncertain(2, head),
          steps_,
          part(vcontext_, head));
    });
    affine_.forward_error({context_, &vcontext_}, x.parameter(6), {&x.parameter(7)}, variance);
  }

  void backward_error(const Operands<T>& x,
                      const Array<T>&,
                      const Array<T>& dout,
                      const Array<T>& dout_variance,
                      const Gradients<T>& variances) override {
    // The gradients themselves first: the last backward() may have seen another dout.
    Array<T> dcontext(context_.shape), vdcontext(context_.shape);
    math_.multiply(matrix(dout), matrix(x.parameter(6)), matrix(dcontext));
    affine_.backward_error({context_, &vcontext_},
                           x.parameter(6),
                           {dout, &dout_variance},
                           &vdcontext,
                           *variances.parameters[6],
                           {variances.parameters[7]});
    differentiate_heads(dcontext);
    std::array<Array<T>, 3> vdprojected;
    vdprojected.fill(Array<T>(context_.shape));
    for_each_head(
        [&](const Head& head) { head_back_error(head, dcontext, vdcontext, vdprojected); });
    for (size_t i = 0; i < 3; ++i) {
      affine_.backward_error({x.input()},
                             x.parameter(2 * i),
                             {dprojected_[i], &vdprojected[i]},
                             variances.inputs[0],
                             *variances.parameters[2 * i],
                             {variances.parameters[2 * i + 1]});
    }
  }

 private:
  struct Head {
    int64_t sample;
    int64_t number;
  };

  [[nodiscard]] int64_t depth() const { return layer_.width / layer_.heads; }
  [[nodiscard]] T factor() const { return 1 / std::sqrt(static_cast<T>(depth())); }
  [[nodiscard]] bool is_kept(const Operands<T>& x, const Head& head, int64_t key) const {
    return !layer_.masked || x.input(1)[head.sample * steps_ + key] != 0;
  }

  // A head's columns of one sample in a [batch, steps, width] array, const or not.
  template <typename A>
  [[nodiscard]] auto part(A& array, const Head& head) const {
    return matrix(array)
        .row_range(head.sample * steps_, steps_)
        .column_range(head.number * depth(), depth());
  }
  // A head's matrix in a [batch, heads, steps, steps] array.
  template <typename A>
  [[nodiscard]] auto square_of(A& array, const Head& head) const {
    return matrix(array).row_range((head.sample * layer_.heads + head.number) * steps_, steps_);
  }
  // Q, K or V of a head, with its error.
  [[nodiscard]] Factor<T> uncertain(size_t which, const Head& head) const {
    return {part(projected_[which], head), part(vprojected_[which], head).data};
  }

  template <typename Body>
  void for_each_head(Body body) const {
    for (int64_t n = 0; n < batch_; ++n) {
      for (int64_t h = 0; h < layer_.heads; ++h) {
        body(Head{n, h});
      }
    }
  }

  // From the gradient of P V those of P, S, Q, K and V.
  void differentiate_heads(const Array<T>& dcontext) {
    dscores_ = dattention_ = Array<T>(scores_.shape);
    dprojected_.fill(Array<T>(context_.shape));
    for_each_head([&](const Head& head) {
      const auto p = square_of(std::as_const(attention_), head);
      const auto dp = square_of(dattention_, head);
      const auto ds = square_of(dscores_, head);
      const auto d = part(dcontext, head);
      math_.multiply(d, part(std::as_const(projected_[2]), head).flipped(), dp);
      math_.multiply(p.flipped(), d, part(dprojected_[2], head));
      for (int64_t i = 0; i < steps_; ++i) {
        const T dot = math_.sum(steps_, [&](int64_t j) { return dp.at(i, j) * p.at(i, j); });
        for (int64_t j = 0; j < steps_; ++j) {
          ds.at(i, j) = p.at(i, j) * (dp.at(i, j) - dot) * factor();
        }
      }
      math_.multiply(ds, part(std::as_const(projected_[1]), head), part(dprojected_[0], head));
      math_.multiply(
          ds.flipped(), part(std::as_const(projected_[0]), head), part(dprojected_[1], head));
    });
  }

  void head_back_error(const Head& head,
                       const Array<T>& dcontext,
                       const Array<T>& vdcontext,
                       std::array<Array<T>, 3>& vdprojected) const {
    const Factor<T> d{part(dcontext, head), part(vdcontext, head).data};
    const Factor<T> p{square_of(attention_, head).flipped(), square_of(vattention_, head).data};
    auto value = uncertain(2, head);
    value.value = value.value.flipped();
    Array<T> vdp({steps_, steps_});
    add_product_error<T>(math_, d, value, depth(), matrix(vdp));
    add_product_error<T>(math_, p, d, steps_, part(vdprojected[2], head));
    const auto vds = softmax_back_error(head, vdp);
    Factor<T> ds{square_of(dscores_, head), vds.data()};
    add_product_error<T>(math_, ds, uncertain(1, head), steps_, part(vdprojected[0], head));
    ds.value = ds.value.flipped();
    add_product_error<T>(math_, ds, uncertain(0, head), steps_, part(vdprojected[1], head));
  }

  // Variances of ds = p (dp - sum(dp p)) / sqrt(d), with errors in p and dp.
  [[nodiscard]] Array<T> softmax_back_error(const Head& head, const Array<T>& vdp) const {
    Array<T> result(vdp.shape);
    const auto p = square_of(attention_, head);
    const auto vp = square_of(vattention_, head);
    const auto dp = square_of(dattention_, head);
    for (int64_t i = 0; i < steps_; ++i) {
      T dot = 0, size = 0, spread = 0;
      for (int64_t j = 0; j < steps_; ++j) {
        dot += p.at(i, j) * dp.at(i, j);
        size += p.at(i, j) * std::abs(dp.at(i, j));
        spread += square(p.at(i, j)) * vdp[i * steps_ + j] + square(dp.at(i, j)) * vp.at(i, j);
      }
      for (int64_t j = 0; j < steps_; ++j) {
        const T rounding =
            static_cast<T>(steps_ + 3) * square(p.at(i, j) * (std::abs(dp.at(i, j)) + size));
        result[i * steps_ + j] =
            square(factor()) * (square(p.at(i, j)) * (vdp[i * steps_ + j] + spread) +
                                square(dp.at(i, j) - dot) * vp.at(i, j) + rounding);
      }
    }
    return result;
  }

  model::SelfAttention layer_;
  const Math<T>& math_;
  Affine<T> affine_;
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

}  // namespace crossbind::referee
