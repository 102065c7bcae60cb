// A model trained by the float64 referee on a data set of the cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "app/resources.h"
#include "base/error.h"
#include "base/progress.h"
#include "model/model.h"
#include "referee/training.h"

namespace crossbind::app {

struct RefereeRequest {
  std::string model;    // an id, or a file
  std::string dataset;  // empty: the model's own
  int64_t epochs = 5;
  int64_t batch = 0;  // 0: the model's own
  int64_t train = 0;  // only the first so many samples; 0: all
  int64_t test = 0;
  uint32_t seed = 1;
  int threads = 1;
  std::filesystem::path output;  // where the trained parameters go; empty: nowhere
};

// What is trained, once everything that the request names has been found.
struct RefereeCourse {
  model::Model model;
  std::string dataset;
  int64_t train_samples = 0;
  int64_t test_samples = 0;
  int64_t batch = 0;
};

struct RefereeEpoch {
  int64_t epoch = 0;  // from 1
  referee::EpochResult training;
  double test_accuracy = 0;
  double seconds = 0;  // of the training alone
};

struct RefereeWatch {
  std::function<void(const RefereeCourse&)> begins;
  std::function<void(const RefereeEpoch&)> ends_epoch;
  std::function<void()> ends;  // before parameters are saved, which may fail
  Progress& progress;          // inside an epoch
};

// Fails when the loss is no longer finite. A file that cannot be written is found out before the
// training, not after it.
[[nodiscard]] Status train_referee(const RefereeRequest& request,
                                   const Machine& machine,
                                   const RefereeWatch& watch);

}  // namespace crossbind::app
