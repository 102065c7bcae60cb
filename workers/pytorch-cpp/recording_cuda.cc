#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <torch/cuda.h>

#include <c10/core/StreamGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "recording.h"

namespace crossbind::worker {
namespace {

constexpr int kRehearsals = 3;  // as torch's own make_graphed_callables

// The shapes of a recording never change: the fastest kernels are worth looking for.
class FastestKernels {
 public:
  FastestKernels() { at::globalContext().setBenchmarkCuDNN(true); }
  ~FastestKernels() { at::globalContext().setBenchmarkCuDNN(before_); }
  FastestKernels(const FastestKernels&) = delete;
  FastestKernels& operator=(const FastestKernels&) = delete;

 private:
  bool before_ = at::globalContext().benchmarkCuDNN();
};

class CudaRecording final : public Recording {
 public:
  // Not on the default stream, which cannot be recorded.
  CudaRecording(const std::function<void()>& before, const std::function<void()>& work) {
    const FastestKernels fastest;
    const auto stream = c10::cuda::getStreamFromPool();
    torch::cuda::synchronize();
    {
      const c10::StreamGuard guard(stream.unwrap());
      for (int i = 0; i < kRehearsals; ++i) {
        before();
        work();
      }
    }
    torch::cuda::synchronize();
    const c10::StreamGuard guard(stream.unwrap());
    graph_.capture_begin();
    try {
      work();
    } catch (...) {
      abandon();
      throw;
    }
    graph_.capture_end();
  }

  void replay() override { graph_.replay(); }

 private:
  // The stream must not stay in its recording; that this fails too says nothing new.
  void abandon() {
    try {
      graph_.capture_end();
    } catch (const std::exception&) {
      graph_.reset();
    }
  }

  at::cuda::CUDAGraph graph_;
};

}  // namespace

bool can_record() {
  return true;
}

std::unique_ptr<Recording> record(const std::function<void()>& before,
                                  const std::function<void()>& work) {
  return std::make_unique<CudaRecording>(before, work);
}

}  // namespace crossbind::worker
