// How TensorFlow is set up, and what becomes of its status. Includes its headers.
#pragma once

#include <tensorflow/core/platform/errors.h>
#include <tensorflow/core/platform/status.h>
#include <tensorflow/core/public/session_options.h>

#include <string>

#include "graph_session.h"

namespace crossbind::worker {

inline void check(const tensorflow::Status& status) {
  if (!status.ok()) {
    throw TensorflowError(std::string(status.message()),
                          tensorflow::errors::IsResourceExhausted(status));
  }
}

// All threads compute one operation, and one operation at a time.
inline tensorflow::SessionOptions options_for(int threads) {
  tensorflow::SessionOptions options;
  options.config.set_intra_op_parallelism_threads(threads);
  options.config.set_inter_op_parallelism_threads(1);
  return options;
}

}  // namespace crossbind::worker
