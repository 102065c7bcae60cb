#include "tensor/tensor.h"

#include <fmt/ranges.h>

#include <array>

namespace crossbind::tensor {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  size_t size;
};

constexpr std::array kTypes = {
    Row{DType::kBool, "BOOL", 1},
    Row{DType::kU8, "U8", 1},
    Row{DType::kI8, "I8", 1},
    Row{DType::kU16, "U16", 2},
    Row{DType::kI16, "I16", 2},
    Row{DType::kF16, "F16", 2},
    Row{DType::kBF16, "BF16", 2},
    Row{DType::kU32, "U32", 4},
    Row{DType::kI32, "I32", 4},
    Row{DType::kF32, "F32", 4},
    Row{DType::kU64, "U64", 8},
    Row{DType::kI64, "I64", 8},
    Row{DType::kF64, "F64", 8},
};

const Row& row_of(DType dtype) {
  return kTypes.at(static_cast<size_t>(dtype));
}

}  // namespace

size_t size_of(DType dtype) {
  return row_of(dtype).size;
}

std::string_view name_of(DType dtype) {
  return row_of(dtype).name;
}

Result<DType> dtype_from(std::string_view name) {
  for (const auto& row : kTypes) {
    if (row.name == name) {
      return row.dtype;
    }
  }
  return fail(ErrorKind::kUnsupported, "unknown element type '{}'", name);
}

Result<int64_t> element_count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0) {
      return fail(ErrorKind::kInvalid, "shape {} has a negative dimension", to_string(shape));
    }
    if (__builtin_mul_overflow(count, dimension, &count)) {
      return fail(ErrorKind::kInvalid, "shape {} has more elements than 2^63", to_string(shape));
    }
  }
  return count;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace crossbind::tensor
