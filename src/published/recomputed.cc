#include "published/recomputed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace crossbind::published {
namespace {

// Accuracies are counts over at most 60,000 samples, some of them rounded to float32.
constexpr double kAccuracyTolerance = 1e-6;
constexpr double kRelativeTolerance = 1e-6;

class Findings {
 public:
  void compare(const std::string& kind, double value, double expected, double tolerance) {
    if (std::abs(value - expected) > tolerance) {
      found_.push_back({kind, fmt::format("{}", value), value, expected});
    }
  }
  void add(Discrepancy discrepancy) { found_.push_back(std::move(discrepancy)); }
  [[nodiscard]] std::vector<Discrepancy> take() { return std::move(found_); }

 private:
  std::vector<Discrepancy> found_;
};

void recompute(const RocAuc& roc, const std::vector<double>& test_accuracy, Findings& findings) {
  const bool same = std::abs(roc.accuracy - roc.expected) <= kAccuracyTolerance;
  if (same != roc.same) {
    findings.add({"evaluation_flag", roc.same ? "true" : "false", roc.accuracy, roc.expected});
  }
  if (!test_accuracy.empty()) {
    findings.compare("evaluation", roc.accuracy, test_accuracy.back(), kAccuracyTolerance);
  }
  if (roc.curves.empty()) {
    return;
  }
  for (const auto& [name, area] : roc.by_class) {
    findings.compare(
        "auc_of_class_" + name, area, area_under(roc.curves.at(name)), kRelativeTolerance);
  }
  findings.compare("macro_auc", roc.macro, area_under_mean(roc.curves), kRelativeTolerance);
}

void recompute_average(const std::string& kind, const PublishedPasses& passes, Findings& findings) {
  if (passes.average && !passes.seconds.empty()) {
    const double sum = std::accumulate(passes.seconds.begin(), passes.seconds.end(), 0.0);
    const double mean = sum / static_cast<double>(passes.seconds.size());
    findings.compare(kind, *passes.average, mean, kRelativeTolerance * mean);
  }
}

// The curve at x: at a step, its upper end.
double height_at(const RocCurve& curve, double x) {
  const auto& xs = curve.false_positives;
  const auto& ys = curve.true_positives;
  const auto after = static_cast<size_t>(std::ranges::upper_bound(xs, x) - xs.begin());
  if (after == 0 || after == xs.size()) {
    return after == 0 ? ys.front() : ys.back();
  }
  const double share = (x - xs[after - 1]) / (xs[after] - xs[after - 1]);
  return ys[after - 1] + share * (ys[after] - ys[after - 1]);
}

}  // namespace

double area_under(const RocCurve& curve) {
  double area = 0;
  for (size_t i = 1; i < curve.false_positives.size(); ++i) {
    area += (curve.false_positives[i] - curve.false_positives[i - 1]) *
            (curve.true_positives[i] + curve.true_positives[i - 1]) / 2;
  }
  return area;
}

double area_under_mean(const std::map<std::string, RocCurve>& curves) {
  RocCurve mean;
  auto& xs = mean.false_positives;
  for (const auto& [name, curve] : curves) {
    xs.insert(xs.end(), curve.false_positives.begin(), curve.false_positives.end());
  }
  std::ranges::sort(xs);
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  mean.true_positives.reserve(xs.size());
  for (const double x : xs) {
    double sum = 0;
    for (const auto& [name, curve] : curves) {
      sum += height_at(curve, x);
    }
    mean.true_positives.push_back(sum / static_cast<double>(curves.size()));
  }
  // A single curve keeps its steps.
  return curves.size() == 1 ? area_under(curves.begin()->second) : area_under(mean);
}

std::vector<Discrepancy> recompute(const TrainingFiles& files, uint32_t seed) {
  Findings findings;
  if (const auto& cost = files.cost) {
    if (cost->total && cost->evaluation) {
      findings.compare("training_time",
                       cost->training,
                       *cost->total - *cost->evaluation,
                       kRelativeTolerance * *cost->total);
    }
    if (cost->seed) {
      findings.compare("seed", *cost->seed, seed, 0);
    }
    if (cost->test_accuracy && !files.test_accuracy.empty()) {
      findings.compare(
          "test_accuracy", *cost->test_accuracy, files.test_accuracy.back(), kAccuracyTolerance);
    }
    if (cost->train_accuracy && !files.train_accuracy.empty()) {
      findings.compare(
          "train_accuracy", *cost->train_accuracy, files.train_accuracy.back(), kAccuracyTolerance);
    }
  }
  if (files.roc) {
    recompute(*files.roc, files.test_accuracy, findings);
  }
  return findings.take();
}

std::vector<Discrepancy> recompute(const Inference& inference) {
  Findings findings;
  recompute_average("average", inference.test, findings);
  recompute_average("train_average", inference.train, findings);
  return findings.take();
}

}  // namespace crossbind::published
