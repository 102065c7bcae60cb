// The contents of a published file as plain values, and strict readers of each kind: all of a file
// or an error with its line. Accuracies are in 0 to 1, times in seconds and above 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "published/file_name.h"

namespace crossbind::published {

struct TimeCost {
  double training = 0;
  std::optional<double> total;
  std::optional<double> evaluation;
  std::optional<double> test_accuracy;
  std::optional<double> train_accuracy;
  std::optional<uint32_t> seed;
};

// Five models on one set: times, the study's own word on each, and the accuracies beside it.
struct PublishedPasses {
  std::vector<double> seconds;
  std::optional<double> average;
  std::vector<bool> same;
  std::vector<double> accuracies;  // five, or none where the file has none
  std::vector<double> expected;    // five, or none where the file has none

  [[nodiscard]] bool empty() const { return seconds.empty() && same.empty(); }
};

struct Inference {
  PublishedPasses test;
  PublishedPasses train;  // of the training set; empty where the file ends before it
};

struct RocCurve {
  std::vector<double> false_positives;
  std::vector<double> true_positives;
};

struct RocAuc {
  double macro = 0;
  std::map<std::string, double> by_class;
  std::map<std::string, RocCurve> curves;  // of the same classes, or none
  bool same = false;
  double accuracy = 0;
  double expected = 0;
};

// `epochs`: how many lines there must be, where that is known.
[[nodiscard]] Result<std::vector<double>> read_curve(std::string_view text,
                                                     std::optional<size_t> epochs);
[[nodiscard]] Result<TimeCost> read_time_cost(std::string_view text, Language language);
[[nodiscard]] Result<Inference> read_inference(std::string_view text, Language language);
[[nodiscard]] Result<RocAuc> read_roc_auc(std::string_view text);

}  // namespace crossbind::published
