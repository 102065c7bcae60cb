// The worker tensorflow/cpp. Its argument is its manifest.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "crossbind_worker/greeting.h"
#include "crossbind_worker/session_binding.h"
#include "native_session.h"
#include "saved_session.h"

namespace crossbind::worker {
namespace {

class TensorflowBinding final : public SessionBinding {
 public:
  using SessionBinding::SessionBinding;

  [[nodiscard]] protocol::Failed failure_of(const std::exception& error) const override {
    const auto* own = dynamic_cast<const TensorflowError*>(&error);
    if (own == nullptr) {
      return SessionBinding::failure_of(error);
    }
    const auto code = own->lacks_memory() ? protocol::FailureCode::kOutOfMemory
                                          : protocol::FailureCode::kInternal;
    return {0, code, own->what()};
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const Job& job) override {
    if (!threads_) {
      threads_ = job.settings.threads;
    }
    if (job.serialized) {
      return SavedSession::open(job, *threads_);
    }
    return NativeSession::open(job, *threads_);
  }

  std::optional<int> threads_;  // TensorFlow keeps those that it began with
};

int run(const char* manifest) {
  auto hello = hello_from_manifest(manifest,
                                   {{"worker", CROSSBIND_VERSION},
                                    {"tensorflow", tensorflow_version()},
                                    {"compiler", __VERSION__}});
  if (!hello) {
    fmt::print(stderr, "worker: {}\n", hello.error().to_string());
    return 1;
  }
  TensorflowBinding binding(hello->capabilities);
  return serve(binding, std::move(*hello));
}

}  // namespace
}  // namespace crossbind::worker

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: crossbind-worker-tensorflow MANIFEST\n", stderr);
    return 2;
  }
  return crossbind::worker::run(argv[1]);
}
