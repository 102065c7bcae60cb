#include "layouts.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace crossbind::worker {
namespace {

using tensor::Shape;
using tensor::TensorView;

Axes identity(size_t rank) {
  Axes axes(rank);
  std::iota(axes.begin(), axes.end(), size_t{0});
  return axes;
}

Axes inverse(const Axes& axes) {
  Axes result(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    result[axes[i]] = i;
  }
  return result;
}

// How far apart neighbours along each axis are, in elements.
std::vector<size_t> strides_of(const Shape& shape) {
  std::vector<size_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * static_cast<size_t>(shape[i]);
  }
  return strides;
}

template <typename T>
void permute(const TensorView& from, const Axes& axes, std::byte* to) {
  const Shape shape = native_shape(from.shape, axes);
  const std::vector<size_t> strides = strides_of(from.shape);
  const auto* source = reinterpret_cast<const T*>(from.bytes.data());
  auto* target = reinterpret_cast<T*>(to);
  const size_t last = axes.size() - 1;
  std::vector<int64_t> at(axes.size(), 0);
  size_t offset = 0;
  for (size_t rows = from.bytes.size() / sizeof(T) / static_cast<size_t>(shape[last]); rows > 0;
       --rows) {
    for (size_t i = 0; i < static_cast<size_t>(shape[last]); ++i) {
      *target++ = source[offset + i * strides[axes[last]]];
    }
    for (size_t axis = last; axis-- > 0;) {
      offset += strides[axes[axis]];
      if (++at[axis] < shape[axis]) {
        break;
      }
      offset -= strides[axes[axis]] * static_cast<size_t>(shape[axis]);
      at[axis] = 0;
    }
  }
}

// Whether numbers stay where they are: axes of one element may go anywhere.
bool moves_nothing(const Shape& shape, Axes axes) {
  std::erase_if(axes, [&](size_t axis) { return shape[axis] == 1; });
  return std::ranges::is_sorted(axes);
}

void copy_permuted(const TensorView& from, const Axes& axes, std::byte* to) {
  if (from.bytes.empty()) {
    return;
  }
  if (moves_nothing(from.shape, axes)) {
    std::memcpy(to, from.bytes.data(), from.bytes.size());
  } else if (from.dtype == tensor::DType::kI64) {
    permute<int64_t>(from, axes, to);
  } else {
    permute<float>(from, axes, to);
  }
}

// Embeddings are the one table that stands as it is.
Axes axes_of(const model::Node& node, const model::Parameter& parameter) {
  if (parameter.shape.size() == 4) {
    return {2, 3, 1, 0};
  }
  const bool is_matrix = parameter.shape.size() == 2;
  return is_matrix && !std::holds_alternative<model::Embedding>(node.layer)
             ? Axes{1, 0}
             : identity(parameter.shape.size());
}

}  // namespace

Axes batch_axes(size_t rank) {
  return rank == 4 ? Axes{0, 2, 3, 1} : identity(rank);
}

std::vector<Axes> parameter_axes(const model::Model& model) {
  std::vector<Axes> axes(model.parameters.size());
  for (const model::Node& node : model.nodes) {
    for (const size_t index : node.parameters) {
      axes[index] = axes_of(node, model.parameters[index]);
    }
  }
  return axes;
}

Shape native_shape(const Shape& canonical, const Axes& axes) {
  Shape shape;
  for (const size_t axis : axes) {
    shape.push_back(canonical[axis]);
  }
  return shape;
}

NativeTensor to_native(const TensorView& canonical, const Axes& axes) {
  NativeTensor native(canonical.dtype, native_shape(canonical.shape, axes));
  copy_permuted(canonical, axes, native.bytes().data());
  return native;
}

tensor::Tensor to_canonical(const TensorView& native, const Axes& axes) {
  const Axes back = inverse(axes);
  std::vector<uint64_t> words((native.bytes.size() + 7) / 8);
  const auto bytes = std::as_writable_bytes(std::span(words)).first(native.bytes.size());
  copy_permuted(native, back, bytes.data());
  return tensor::Tensor(TensorView{native.dtype, native_shape(native.shape, back), bytes});
}

NativeTensor batch_to_native(const TensorView& canonical) {
  return to_native(canonical, batch_axes(canonical.shape.size()));
}

tensor::Tensor batch_to_canonical(const NativeTensor& native) {
  const TensorView view = native.view();
  return to_canonical(view, batch_axes(view.shape.size()));
}

}  // namespace crossbind::worker
