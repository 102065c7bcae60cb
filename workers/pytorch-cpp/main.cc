// The worker pytorch/cpp. Its argument is its manifest.
#include <fmt/format.h>

#include <malloc.h>
#include <torch/cuda.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "crossbind_worker/greeting.h"
#include "crossbind_worker/session_binding.h"
#include "protocol/messages.h"
#include "torch_session.h"

namespace crossbind::worker {
namespace {

class TorchBinding final : public SessionBinding {
 public:
  using SessionBinding::SessionBinding;

  [[nodiscard]] protocol::Failed failure_of(const std::exception& error) const override {
    const auto* own = dynamic_cast<const c10::Error*>(&error);
    if (own == nullptr) {
      return SessionBinding::failure_of(error);
    }
    const std::string message = own->what_without_backtrace();
    const bool lacks_memory = dynamic_cast<const c10::OutOfMemoryError*>(own) != nullptr ||
                              message.find("can't allocate memory") != std::string::npos;
    return {0,
            lacks_memory ? protocol::FailureCode::kOutOfMemory : protocol::FailureCode::kInternal,
            message};
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const Job& job) override {
    return TorchSession::open(job);
  }
};

// A step frees what the next one takes again. glibc may hand it back to the kernel in between, as
// it happens to lie in the heap, and then every page comes back by a fault and zeroed: of LeNet-5's
// training that is a third. So it is kept.
void keep_freed_memory() {
  constexpr int kMost = 1 << 30;
  ::mallopt(M_MMAP_THRESHOLD, kMost);
  ::mallopt(M_TRIM_THRESHOLD, kMost);
}

int run(const char* manifest) {
  keep_freed_memory();
  torch::set_num_interop_threads(1);
  at::globalContext().setFloat32MatmulPrecision("highest");  // no TF32; cuDNN has its own switch
  at::globalContext().setAllowTF32CuDNN(false);
  if (std::getenv(protocol::kRepeatableVariable) != nullptr && torch::cuda::is_available()) {
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);  // cuBLAS reads it when it starts
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  }
  auto hello = hello_from_manifest(
      manifest,
      {{"worker", CROSSBIND_VERSION}, {"libtorch", TORCH_VERSION}, {"compiler", __VERSION__}});
  if (!hello) {
    fmt::print(stderr, "worker: {}\n", hello.error().to_string());
    return 1;
  }
  TorchBinding binding(hello->capabilities);
  return serve(binding, std::move(*hello));
}

}  // namespace
}  // namespace crossbind::worker

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: crossbind-worker-pytorch MANIFEST\n", stderr);
    return 2;
  }
  return crossbind::worker::run(argv[1]);
}
