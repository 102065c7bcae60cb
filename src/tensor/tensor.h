// Dense tensors in row-major order: element types, shapes, and a value that owns its bytes or a
// view that borrows them. No arithmetic: that is the referee's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind::tensor {

enum class DType { kBool, kU8, kI8, kU16, kI16, kF16, kBF16, kU32, kI32, kF32, kU64, kI64, kF64 };

[[nodiscard]] size_t size_of(DType dtype);
[[nodiscard]] std::string_view name_of(DType dtype);  // "F32", as safetensors spells it
[[nodiscard]] Result<DType> dtype_from(std::string_view name);

// The DType of a C++ element type.
template <typename T>
inline constexpr DType kDTypeOf = [] {
  static_assert(sizeof(T) == 0, "no DType for this type");
  return DType::kU8;
}();
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::kU8;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kI32;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kI64;
template <>
inline constexpr DType kDTypeOf<float> = DType::kF32;
template <>
inline constexpr DType kDTypeOf<double> = DType::kF64;

using Shape = std::vector<int64_t>;

// The product of the dimensions; an error when one is negative or the product overflows int64.
[[nodiscard]] Result<int64_t> element_count(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);  // "[128, 1, 28, 28]"

// Borrowed bytes with a type and a shape. The bytes are aligned for the type.
struct TensorView {
  DType dtype = DType::kF32;
  Shape shape;
  std::span<const std::byte> bytes;

  // The elements as T, or an error that says which type they are.
  template <typename T>
  [[nodiscard]] Result<std::span<const T>> as() const {
    if (dtype != kDTypeOf<T>) {
      return fail(ErrorKind::kInvalid, "holds {}, not {}", name_of(dtype), name_of(kDTypeOf<T>));
    }
    return std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  }
};

class Tensor {
 public:
  Tensor() = default;

  template <typename T>
  Tensor(Shape shape, std::span<const T> values)
      : dtype_(kDTypeOf<T>),
        shape_(std::move(shape)),
        size_(values.size_bytes()),
        storage_((size_ + 7) / 8) {
    std::copy_n(reinterpret_cast<const std::byte*>(values.data()), size_, data());
  }
  template <typename T>
  Tensor(Shape shape, const std::vector<T>& values)
      : Tensor(std::move(shape), std::span<const T>(values)) {}

  explicit Tensor(const TensorView& view)
      : dtype_(view.dtype),
        shape_(view.shape),
        size_(view.bytes.size()),
        storage_((size_ + 7) / 8) {
    std::copy_n(view.bytes.data(), size_, data());
  }

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] TensorView view() const {
    return {dtype_, shape_, {reinterpret_cast<const std::byte*>(storage_.data()), size_}};
  }

 private:
  std::byte* data() { return reinterpret_cast<std::byte*>(storage_.data()); }

  DType dtype_ = DType::kF32;
  Shape shape_ = {0};
  size_t size_ = 0;
  std::vector<uint64_t> storage_;  // words, so that every element type is aligned
};

using TensorMap = std::map<std::string, Tensor>;

}  // namespace crossbind::tensor
