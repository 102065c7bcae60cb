// What a store says, as plain values, one struct a finding; docs/analysis.md says how each is
// computed. Nothing here is rounded, rendered or judged.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/difference.h"
#include "stats/effect_size.h"
#include "stats/noise.h"
#include "trial/settings.h"

namespace crossbind::analysis {

inline constexpr std::string_view kBaseline = "python";  // what other bindings are held against

// A finding's `binding` is the language: its scope has the framework, and trial::BindingName joins
// them.

// What a comparison holds fixed beside framework and model, by name: data set, loader, batch size.
using Condition = std::map<std::string, std::string>;

struct Scope {
  std::string framework;
  std::string model;
  Condition condition;

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const Scope&) const = default;  // NOLINT(modernize-use-nullptr)
};

enum class Score { kAccuracy, kF1, kAuc };  // of a trained model on the test set, 0 to 1
enum class DtwMethod { kFastDtw, kExact };
enum class Mode { kParameters, kSerialization };  // how an inference loads its model
enum class Reproduction { kReproduced, kFailed, kUnsupported };

// A finding's `noise` is how far the same binding is from itself: docs/analysis.md. None where it
// cannot be told.

// Training-accuracy curves of two bindings, paired by seed, over the length of a curve.
struct CurveDistance {
  Scope scope;
  std::string a;
  std::string b;
  DtwMethod method = DtwMethod::kFastDtw;
  size_t n = 0;
  double mean = 0;
  double max = 0;
  std::optional<double> noise;  // of the mean: two trainings of the one or of the other
};

struct BindingScore {
  Score score = Score::kAccuracy;
  Scope scope;
  std::string binding;
  std::vector<double> values;  // by seed
  double mean = 0;
};

// Mann-Whitney's test of two samples, and how large the effect is.
struct RankTest {
  double u = 0;  // of the first sample
  double p = 1;
  double p_adjusted = 1;    // Bonferroni
  double smallest_p = 1;    // that samples of these sizes can have
  double cliffs_delta = 0;  // above 0: the first sample has the larger numbers
  stats::Magnitude effect = stats::Magnitude::kNegligible;
};

// Every pair of bindings; corrected within framework, model and score.
struct ScoreTest {
  Score score = Score::kAccuracy;
  Scope scope;
  std::string a;
  std::string b;
  size_t n_a = 0;
  size_t n_b = 0;
  double mean_a = 0;
  double mean_b = 0;
  double largest_difference = 0;  // of any two bindings' means here
  std::optional<double> noise;    // of the difference of the means
  RankTest test;

  [[nodiscard]] bool is_above_noise() const { return noise && std::abs(mean_a - mean_b) > *noise; }
};

struct Times {
  Scope scope;
  std::string binding;
  std::string device;  // "cpu" or "gpu"
  std::vector<double> seconds;
  double median = 0;
};

// The baseline against one other binding; corrected within framework and model (and device).
struct TimeTest {
  Scope scope;
  std::string binding;
  std::string device;
  size_t n_baseline = 0;
  size_t n = 0;
  double median_baseline = 0;
  double median = 0;
  std::optional<double> noise;  // of the ratio of the medians, above 1
  RankTest test;

  [[nodiscard]] bool is_above_noise() const {
    return stats::is_above_noise(median / median_baseline, noise);
  }
};

// Whether a binding reproduces the accuracy of a model that another one trained.
struct CrossBinding {
  Scope scope;
  std::string binding;
  std::string device;
  Mode mode = Mode::kParameters;
  Reproduction outcome = Reproduction::kReproduced;
  std::optional<double> largest_difference;  // of accuracy, where it is known
  // Where what was said is known, not only how much of it was right; of all trials together.
  std::optional<double> differing;  // predictions that are not those of the binding that trained
  std::optional<double> smallest_margin;  // of these: by how much it preferred them
  std::optional<double> largest_margin;
  std::optional<double> largest_output_difference;
};

// Something that is said and that the numbers beside it do not bear out.
struct FoundContradiction {
  Scope scope;
  std::string binding;
  std::string device;
  trial::Task task = trial::Task::kTrain;
  uint32_t seed = 0;  // of the model, 0 where it concerns none
  std::string kind;   // "flag", "train_flag", "macro_auc", ...
  std::string claim;  // "true", "0.98"
  double value = 0;
  double expected = 0;
};

// Mean seconds a trial, of trials with inner timers.
struct Parts {
  Scope scope;
  std::string binding;
  std::string device;
  size_t n = 0;
  double load = 0;
  double forward = 0;
  std::optional<double> backward;  // of a training
  double total = 0;
};

struct MeanCurve {
  Scope scope;
  std::string binding;
  size_t n = 0;
  std::vector<double> train_accuracy;  // by epoch
};

// How the trials of a task ended: the best of them.
struct Support {
  std::string framework;
  std::string model;
  std::string binding;
  trial::Task task = trial::Task::kTrain;
  bool supported = false;
};

}  // namespace crossbind::analysis
