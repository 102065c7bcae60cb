// Runs independent pieces of work on a few threads. Which thread runs a piece never changes what
// the piece computes: results must not depend on the number of threads. Own code, because a pool of
// a library would need the same counter and hand-over of exceptions around it, and idle threads in
// every program that links it.
#pragma once

#include <cstdint>
#include <functional>

namespace crossbind {

// Calls body(i) once for every i in [0, count); returns when all are done. With threads <= 1 it
// runs in the calling thread, in order. The first exception that a
// body throws (memory running out) comes out here, once all threads have ended.
void parallel_for(int threads, int64_t count, const std::function<void(int64_t)>& body);

}  // namespace crossbind
