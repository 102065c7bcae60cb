// The geometry that convolution and pooling share: a window sliding over padded planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "model/layer.h"
#include "tensor/tensor.h"

namespace crossbind::referee {

struct Window {
  int64_t height, width;          // of the input plane
  int64_t out_height, out_width;  // of the output plane
  model::Pair kernel, stride;
  model::Pads pads;

  // For [batch, channels, height, width] arrays.
  Window(const tensor::Shape& in,
         const tensor::Shape& out,
         model::Pair kernel_size,
         model::Pair stride_size,
         model::Pads padding)
      : height(in[2]),
        width(in[3]),
        out_height(out[2]),
        out_width(out[3]),
        kernel(kernel_size),
        stride(stride_size),
        pads(padding) {}

  [[nodiscard]] int64_t in_plane() const { return height * width; }
  [[nodiscard]] int64_t out_plane() const { return out_height * out_width; }
  [[nodiscard]] int64_t kernel_size() const { return kernel.height * kernel.width; }

  // Calls visit(offset in the input plane, number in the kernel) for each element of the window at
  // (row, column) that is not padding, in row-major order.
  template <typename Visit>
  void visit(int64_t row, int64_t column, Visit visit) const {
    for (int64_t i = 0; i < kernel.height; ++i) {
      const int64_t y = row * stride.height - pads.top + i;
      if (y < 0 || y >= height) {
        continue;
      }
      for (int64_t j = 0; j < kernel.width; ++j) {
        const int64_t x = column * stride.width - pads.left + j;
        if (x >= 0 && x < width) {
          visit(y * width + x, i * kernel.width + j);
        }
      }
    }
  }

  // The output columns [begin, end) for which kernel column j meets the input, not the padding.
  [[nodiscard]] std::pair<int64_t, int64_t> valid_columns(int64_t j) const {
    const auto ceil_div = [](int64_t a, int64_t b) {
      return a <= 0 ? int64_t{0} : (a + b - 1) / b;
    };
    const int64_t begin = ceil_div(pads.left - j, stride.width);
    const int64_t end = ceil_div(width + pads.left - j, stride.width);
    return {std::min(begin, out_width), std::clamp(end, std::min(begin, out_width), out_width)};
  }
};

}  // namespace crossbind::referee
