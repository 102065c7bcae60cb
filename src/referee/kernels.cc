#include "referee/kernels.h"

namespace crossbind::referee {

const Kernels& baseline_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

KernelList available_kernels() {
  KernelList list{{&baseline_kernels(), nullptr, nullptr}, 1};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    list.items[list.count++] = &avx2_kernels();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
      list.items[list.count++] = &avx512_kernels();
    }
  }
  return list;
}

const Kernels& kernels() {
  static const KernelList list = available_kernels();
  return *list.items[list.count - 1];
}

}  // namespace crossbind::referee
