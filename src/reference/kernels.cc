#include "reference/kernels.h"

namespace crossbind::reference {

extern const Kernels kKernelsBaseline;
extern const Kernels kKernelsAvx2;
extern const Kernels kKernelsAvx512;

KernelList available_kernels() {
  KernelList list{{&kKernelsBaseline, nullptr, nullptr}, 1};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    list.items[list.count++] = &kKernelsAvx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
      list.items[list.count++] = &kKernelsAvx512;
    }
  }
  return list;
}

const Kernels& kernels() {
  static const KernelList list = available_kernels();
  return *list.items[list.count - 1];
}

}  // namespace crossbind::reference
