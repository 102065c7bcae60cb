// A tensor of TensorFlow, without its headers: most of the worker compiles fast that way.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace tensorflow {
class Tensor;
}

namespace crossbind::worker {

// Float32 or int64, in host memory. Copies share the values.
class NativeTensor {
 public:
  NativeTensor(tensor::DType dtype, const tensor::Shape& shape);  // of values that are undefined
  explicit NativeTensor(tensorflow::Tensor tensor);
  NativeTensor(const NativeTensor& other);
  NativeTensor(NativeTensor&& other) noexcept;
  NativeTensor& operator=(const NativeTensor& other);
  NativeTensor& operator=(NativeTensor&& other) noexcept;
  ~NativeTensor();

  [[nodiscard]] static NativeTensor scalar(float value);
  [[nodiscard]] static NativeTensor scalar(int64_t value);

  [[nodiscard]] const tensorflow::Tensor& get() const { return *tensor_; }
  [[nodiscard]] tensor::TensorView view() const;
  [[nodiscard]] float number() const;  // of a scalar of float32
  // To fill a tensor that nobody shares yet.
  [[nodiscard]] std::span<std::byte> bytes();

 private:
  std::unique_ptr<tensorflow::Tensor> tensor_;
};

// Valid as long as the tensors are.
[[nodiscard]] std::vector<tensor::TensorView> views_of(const std::vector<NativeTensor>& tensors);

}  // namespace crossbind::worker
