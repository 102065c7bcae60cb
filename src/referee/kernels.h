// The few loops whose speed decides the referee's: matrix products and transcendental functions.
// They are compiled once for each instruction set (baseline x86-64, AVX2, AVX-512) and chosen when
// the program starts, so that one binary runs everywhere and is fast where it can be. Kernels see
// raw memory only: no type of ours or of the standard library crosses the boundary, because code
// compiled for one instruction set must never be merged with code for another.
#pragma once

#include <cstdint>

namespace crossbind::referee {

// C (m x n) = or += op(A) (m x k) * op(B) (k x n); row-major, strides in elements.
template <typename T>
struct Product {
  int64_t m;
  int64_t n;
  int64_t k;
  const T* a;
  int64_t a_stride;
  bool a_transposed;  // a is stored k x m
  const T* b;
  int64_t b_stride;
  bool b_transposed;  // b is stored n x k
  T* c;
  int64_t c_stride;
  bool accumulate;
};

struct Kernels {
  const char* name;
  void (*multiply_double)(const Product<double>&);
  void (*multiply_float)(const Product<float>&);
  void (*tanh)(const double* x, double* y, int64_t count);
  void (*sigmoid)(const double* x, double* y, int64_t count);
};

// The fastest set that this processor runs.
[[nodiscard]] const Kernels& kernels();

// Every set that this processor runs, slowest first: for tests.
struct KernelList {
  const Kernels* items[3];
  int count;
};
[[nodiscard]] KernelList available_kernels();

}  // namespace crossbind::referee
