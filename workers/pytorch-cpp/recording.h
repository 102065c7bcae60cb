// Work of the GPU, recorded as a CUDA graph and replayed. Compiled with the headers of CUDA
// (recording_cuda.cc), or without (recording_absent.cc).
#pragma once

#include <functional>
#include <memory>

namespace crossbind::worker {

class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay() = 0;  // does not wait for its end
};

// Whether this worker was compiled with CUDA.
[[nodiscard]] bool can_record();

// The work must always touch the same memory and never wait for the device. It is rehearsed a few
// times, each after `before`, for libraries choose and allocate when they are first called;
// recording itself does nothing. Throws what torch throws.
[[nodiscard]] std::unique_ptr<Recording> record(const std::function<void()>& before,
                                                const std::function<void()>& work);

}  // namespace crossbind::worker
