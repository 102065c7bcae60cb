#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace crossbind {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnceWhateverTheThreads) {
  for (const int threads : {0, 1, 2, 7}) {
    std::vector<std::atomic<int>> visits(100);
    parallel_for(threads, 100, [&](int64_t i) { ++visits[static_cast<size_t>(i)]; });
    for (const auto& count : visits) {
      EXPECT_EQ(count, 1);
    }
  }
}

TEST(ParallelFor, HandsOnAnExceptionFromWhateverThread) {
  for (const int threads : {1, 4}) {
    EXPECT_THROW(parallel_for(threads,
                              100,
                              [](int64_t i) {
                                if (i == 57) {
                                  throw std::bad_alloc();
                                }
                              }),
                 std::bad_alloc);
  }
}

TEST(ParallelFor, DoesNothingForNothing) {
  parallel_for(4, 0, [](int64_t) { FAIL(); });
}

}  // namespace
}  // namespace crossbind
