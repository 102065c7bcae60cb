#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace crossbind {

void parallel_for(int threads, int64_t count, const std::function<void(int64_t)>& body) {
  const auto workers = static_cast<int>(std::min<int64_t>(threads, count));
  if (workers <= 1) {
    for (int64_t i = 0; i < count; ++i) {
      body(i);
    }
    return;
  }
  std::atomic<int64_t> next{0};
  std::exception_ptr problem;
  std::once_flag first;
  const auto work = [&] {
    try {
      for (int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        body(i);
      }
    } catch (...) {
      next = count;  // the others need not go on
      std::call_once(first, [&] { problem = std::current_exception(); });
    }
  };
  {
    std::vector<std::jthread> pool;
    pool.reserve(static_cast<size_t>(workers) - 1);
    for (int i = 1; i < workers; ++i) {
      pool.emplace_back(work);
    }
    work();
  }
  if (problem) {
    std::rethrow_exception(problem);
  }
}

}  // namespace crossbind
