// What an inference measured. Values only; what was not measured is empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tasks/contradiction.h"
#include "tasks/part_times.h"

namespace crossbind::tasks {

// Passes over one set of samples: each vector has a value a model, or none.
struct Passes {
  std::vector<double> seconds;
  std::vector<double> accuracy;  // as the binding says
  std::vector<double> expected;  // the accuracy of what it is held against
  std::vector<double> same;      // a published measurement's own verdict: 1 or 0

  bool operator==(const Passes&) const = default;
};

// What was answered, held against what the binding answered that trained the parameters.
struct Answers {
  std::vector<double> differing;          // samples whose prediction is another
  std::vector<double> margins;            // where there are such: the smallest and the largest
  std::vector<double> output_difference;  // the largest of two outputs

  bool operator==(const Answers&) const = default;
};

struct Inferred {
  std::vector<double> warmup;  // seconds of each step before the pass
  Passes test;
  Passes train;  // published measurements alone passed over the training set
  PartTimes parts;
  Answers answers;
  std::string outputs_sha256;
  std::string expected_outputs_sha256;  // of what they were compared with
  std::vector<uint32_t> seeds;          // of the models, where there is more than the trial's
  std::vector<Contradiction> contradictions;

  bool operator==(const Inferred&) const = default;
};

}  // namespace crossbind::tasks
