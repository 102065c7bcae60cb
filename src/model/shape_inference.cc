#include "model/shape_inference.h"

#include <algorithm>

#include "config/table_reader.h"
#include "model/layers.h"

namespace crossbind::model {
namespace {

using tensor::to_string;

struct Sides {
  int64_t before = 0;
  int64_t after = 0;
};

// TensorFlow's rule: as many outputs as strides fit into the input, the odd pad behind.
Sides same_pads_of(int64_t in, int64_t kernel, int64_t stride) {
  const int64_t out = (in + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((out - 1) * stride + kernel - in, 0);
  return {total / 2, total - total / 2};
}

void resolve_same(Pads& pads, const Shape& in, const Pair& kernel, const Pair& stride) {
  const Sides rows = same_pads_of(in[1], kernel.height, stride.height);
  const Sides columns = same_pads_of(in[2], kernel.width, stride.width);
  pads = {rows.before, columns.before, rows.after, columns.after};
}

Result<Shape> windows(
    int64_t channels, const Shape& in, const Pair& kernel, const Pair& stride, const Pads& pads) {
  const int64_t height = in[1] + pads.top + pads.bottom;
  const int64_t width = in[2] + pads.left + pads.right;
  if (kernel.height > height || kernel.width > width) {
    return fail(ErrorKind::kInvalid,
                "'kernel' is [{}, {}], expected one that fits into the padded input of [{}, {}]",
                kernel.height,
                kernel.width,
                height,
                width);
  }
  return Shape{channels,
               (height - kernel.height) / stride.height + 1,
               (width - kernel.width) / stride.width + 1};
}

// Output shapes by layer type; counts and types of the inputs are checked before.
class ShapeOf {
 public:
  ShapeOf(bool same_pads, const std::vector<LayerInput>& inputs)
      : same_pads_(same_pads),
        inputs_(inputs),
        in_(inputs[0].shape) {}

  Result<Shape> operator()(Conv2d& conv) const {
    CB_TRY(want_rank(3, "[channels, height, width]"));
    conv.in_channels = in_[0];
    if (same_pads_) {
      resolve_same(conv.pads, in_, conv.kernel, conv.stride);
    }
    return windows(conv.out_channels, in_, conv.kernel, conv.stride, conv.pads);
  }

  Result<Shape> operator()(MaxPool2d& pool) const { return pooled(pool); }
  Result<Shape> operator()(AvgPool2d& pool) const { return pooled(pool); }

  Result<Shape> operator()(GlobalAvgPool&) const {
    CB_TRY(want_rank(3, "[channels, height, width]"));
    return Shape{in_[0]};
  }

  Result<Shape> operator()(Linear& linear) const {
    linear.in_features = in_.back();
    Shape out = in_;
    out.back() = linear.out_features;
    return out;
  }

  Result<Shape> operator()(Flatten&) const {
    CB_ASSIGN(const int64_t count, tensor::element_count(in_));
    return Shape{count};
  }

  Result<Shape> operator()(Tanh&) const { return in_; }
  Result<Shape> operator()(Relu&) const { return in_; }
  Result<Shape> operator()(Sigmoid&) const { return in_; }
  Result<Shape> operator()(Gelu&) const { return in_; }
  Result<Shape> operator()(Softmax&) const { return in_; }
  Result<Shape> operator()(Dropout&) const { return in_; }

  Result<Shape> operator()(BatchNorm& norm) const {
    if (in_.size() != 1 && in_.size() != 3) {
      return wrong_input("[channels, height, width] or [features]");
    }
    norm.features = in_[0];
    return in_;
  }

  Result<Shape> operator()(LayerNorm& norm) const {
    norm.features = in_.back();
    return in_;
  }

  Result<Shape> operator()(Embedding& embedding) const {
    if (embedding.kind == EmbeddingKind::kPosition) {
      if (in_.size() > 2) {
        return wrong_input("[length] or [length, features]");
      }
      if (in_[0] > embedding.entries) {
        return fail(ErrorKind::kInvalid,
                    "'entries' is {}, expected at least the {} steps of the input",
                    embedding.entries,
                    in_[0]);
      }
      return Shape{in_[0], embedding.width};
    }
    CB_TRY(want_rank(1, "[length]"));
    if (inputs_[0].entries == 0) {
      return fail(ErrorKind::kInvalid,
                  "its input holds floats, expected an integer input, one with 'entries'");
    }
    if (inputs_[0].entries > embedding.entries) {
      return fail(ErrorKind::kInvalid,
                  "'entries' is {}, expected at least the {} of the input",
                  embedding.entries,
                  inputs_[0].entries);
    }
    return Shape{in_[0], embedding.width};
  }

  Result<Shape> operator()(Lstm& lstm) const { return recurrent(lstm); }
  Result<Shape> operator()(Gru& gru) const { return recurrent(gru); }

  Result<Shape> operator()(Pad& pad) const {
    CB_TRY(want_rank(3, "[channels, height, width]"));
    return Shape{
        in_[0], in_[1] + pad.pads.top + pad.pads.bottom, in_[2] + pad.pads.left + pad.pads.right};
  }

  Result<Shape> operator()(Add&) const {
    if (inputs_[1].shape != in_) {
      return fail(ErrorKind::kInvalid,
                  "its inputs have the shapes {} and {}, expected equal ones",
                  to_string(in_),
                  to_string(inputs_[1].shape));
    }
    return in_;
  }

  Result<Shape> operator()(SelfAttention& attention) const {
    CB_TRY(want_rank(2, "[length, features]"));
    attention.width = in_[1];
    attention.masked = inputs_.size() == 2;
    if (attention.width % attention.heads != 0) {
      return fail(ErrorKind::kInvalid,
                  "'heads' is {}, expected a divisor of the width {}",
                  attention.heads,
                  attention.width);
    }
    if (attention.masked && (!inputs_[1].is_model_input || inputs_[1].shape != Shape{in_[0]})) {
      return fail(ErrorKind::kInvalid,
                  "its mask has the shape {}, expected a model input of shape [{}]",
                  to_string(inputs_[1].shape),
                  in_[0]);
    }
    return in_;
  }

  Result<Shape> operator()(SelectLast&) const {
    CB_TRY(want_rank(2, "[length, features]"));
    return Shape{in_[1]};
  }

 private:
  [[nodiscard]] tl::unexpected<Error> wrong_input(std::string_view expected) const {
    return fail(
        ErrorKind::kInvalid, "its input has the shape {}, expected {}", to_string(in_), expected);
  }

  [[nodiscard]] Status want_rank(size_t rank, std::string_view expected) const {
    if (in_.size() != rank) {
      return wrong_input(expected);
    }
    return {};
  }

  template <typename Pool>
  Result<Shape> pooled(Pool& pool) const {
    CB_TRY(want_rank(3, "[channels, height, width]"));
    if (same_pads_) {
      resolve_same(pool.pads, in_, pool.kernel, pool.stride);
    }
    // A window that lies wholly in the padding would have no value.
    if (std::max(pool.pads.top, pool.pads.bottom) >= pool.kernel.height ||
        std::max(pool.pads.left, pool.pads.right) >= pool.kernel.width) {
      return fail(ErrorKind::kInvalid, "'pads' reach the size of 'kernel', expected smaller ones");
    }
    return windows(in_[0], in_, pool.kernel, pool.stride, pool.pads);
  }

  template <typename Recurrent>
  Result<Shape> recurrent(Recurrent& layer) const {
    CB_TRY(want_rank(2, "[length, features]"));
    layer.in_features = in_[1];
    return Shape{in_[0], layer.hidden};
  }

  bool same_pads_;
  const std::vector<LayerInput>& inputs_;
  const Shape& in_;
};

// What a layer says of its inputs, as numbers and words.
struct Wanted {
  size_t least;
  size_t most;
  size_t floats;  // so many of them, from the first on, must not be integers
  std::string_view words;
};

Wanted wanted(Inputs inputs) {
  switch (inputs) {
    case Inputs::kFloats:
      return {1, 1, 1, "one input"};
    case Inputs::kTwoOfFloats:
      return {2, 2, 2, "two inputs"};
    case Inputs::kFloatsAndMask:
      return {1, 2, 1, "one input, or the input and the mask"};
    case Inputs::kFloatsOrIntegers:
      return {1, 1, 0, "one input"};
  }
  return {};
}

Status check_inputs(const Layer& layer, const std::vector<LayerInput>& inputs) {
  const Wanted want = wanted(
      std::visit([]<typename Type>(const Type&) { return Description<Type>::kInputs; }, layer));
  if (inputs.size() < want.least || inputs.size() > want.most) {
    return fail(ErrorKind::kInvalid, "'from' names {}, expected {}", inputs.size(), want.words);
  }
  for (size_t i = 0; i < want.floats; ++i) {
    if (inputs[i].entries > 0) {
      return fail(ErrorKind::kInvalid, "its input holds integers, expected floats");
    }
  }
  return {};
}

}  // namespace

Result<Shape> infer_shape(Layer& layer, bool same_pads, const std::vector<LayerInput>& inputs) {
  CB_TRY(check_inputs(layer, inputs));
  CB_ASSIGN(Shape out, std::visit(ShapeOf(same_pads, inputs), layer));
  CB_TRY(tensor::element_count(out));
  if (std::ranges::max(out) > config::kMaximumDimension) {
    return fail(ErrorKind::kInvalid,
                "its output has the shape {}, expected no dimension above {}",
                to_string(out),
                config::kMaximumDimension);
  }
  return out;
}

}  // namespace crossbind::model
