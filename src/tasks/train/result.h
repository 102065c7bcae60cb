// What a training measured. Values only; what was not measured is empty.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/record.h"
#include "tasks/contradiction.h"
#include "tasks/part_times.h"

namespace crossbind::tasks {

struct TimedEpoch {
  int epoch = 0;  // from 1
  std::optional<double> seconds;
  PartTimes parts;

  bool operator==(const TimedEpoch&) const = default;
};

struct Trained {
  std::vector<store::EpochPoint> curve;
  std::map<int, double> test_loss;  // by epoch, where the test set was scored
  std::vector<double> warmup;       // seconds of each step before the first epoch
  std::vector<TimedEpoch> epochs;   // in order
  std::optional<double> in_total;   // seconds, where epochs were not timed one by one
  std::optional<double> f1;         // of the test set
  std::optional<double> auc;        // of the test set
  std::string parameters_sha256;    // of what was trained
  std::string outputs_sha256;       // of what the trained model answers
  std::vector<Contradiction> contradictions;

  bool operator==(const Trained&) const = default;
};

// The whole training in seconds; nothing where no time was taken.
[[nodiscard]] std::optional<double> seconds_of(const Trained& trained);

}  // namespace crossbind::tasks
