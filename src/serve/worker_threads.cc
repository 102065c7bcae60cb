#include "serve/worker_threads.h"

#include <utility>

namespace crossbind::serve {

WorkerThreads::WorkerThreads(size_t count) {
  threads_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

WorkerThreads::~WorkerThreads() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    jobs_.clear();
  }
  news_.notify_all();
  for (auto& thread : threads_) {
    thread.join();
  }
}

void WorkerThreads::add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  news_.notify_one();
}

void WorkerThreads::work() {
  while (true) {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [this] { return is_stopped_ || !jobs_.empty(); });
    if (is_stopped_) {
      return;
    }
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

}  // namespace crossbind::serve
