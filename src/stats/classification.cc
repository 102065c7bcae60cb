#include "stats/classification.h"

#include <map>
#include <vector>

#include "stats/effect_size.h"

namespace crossbind::stats {
namespace {

Status check_counts(size_t predictions, size_t labels) {
  if (labels == 0) {
    return fail(ErrorKind::kInvalid, "there are no labels");
  }
  if (predictions != labels) {
    return fail(ErrorKind::kInvalid, "there are {} predictions for {} labels", predictions, labels);
  }
  return {};
}

struct ClassCounts {
  double right = 0;
  double predicted = 0;
  double actual = 0;
};

// The area under the curve of `wanted` against all other labels; scores[i * stride] is sample i's.
Result<double> area(std::span<const double> scores,
                    size_t stride,
                    ClassNumbers actual,
                    int64_t wanted) {
  std::vector<double> inside;
  std::vector<double> outside;
  for (size_t i = 0; i < actual.size(); ++i) {
    (actual[i] == wanted ? inside : outside).push_back(scores[i * stride]);
  }
  if (inside.empty() || outside.empty()) {
    return fail(ErrorKind::kInvalid,
                "{} label is {}: the area under the curve needs both kinds",
                inside.empty() ? "no" : "every",
                wanted);
  }
  return vargha_delaney(inside, outside);
}

Status check_labels(ClassNumbers actual, size_t classes) {
  for (const int64_t label : actual) {
    if (label < 0 || static_cast<size_t>(label) >= classes) {
      return fail(ErrorKind::kInvalid, "label {} is not one of {} classes", label, classes);
    }
  }
  return {};
}

}  // namespace

Result<double> accuracy(ClassNumbers predicted, ClassNumbers actual) {
  CB_TRY(check_counts(predicted.size(), actual.size()));
  size_t right = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    right += predicted[i] == actual[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(actual.size());
}

Result<double> macro_f1(ClassNumbers predicted, ClassNumbers actual) {
  CB_TRY(check_counts(predicted.size(), actual.size()));
  std::map<int64_t, ClassCounts> classes;
  for (size_t i = 0; i < actual.size(); ++i) {
    classes[predicted[i]].predicted += 1;
    classes[actual[i]].actual += 1;
    classes[actual[i]].right += predicted[i] == actual[i] ? 1 : 0;
  }
  double sum = 0;
  for (const auto& [label, counts] : classes) {
    sum += 2 * counts.right / (counts.predicted + counts.actual);
  }
  return sum / static_cast<double>(classes.size());
}

Result<double> roc_auc(std::span<const double> scores, ClassNumbers actual) {
  CB_TRY(check_counts(scores.size(), actual.size()));
  CB_TRY(check_labels(actual, 2));
  return area(scores, 1, actual, 1);
}

Result<double> macro_roc_auc(std::span<const double> scores, ClassNumbers actual, size_t classes) {
  if (classes < 2 || scores.size() % classes != 0) {
    return fail(ErrorKind::kInvalid,
                "{} scores are no rows of {} classes; two classes are the least",
                scores.size(),
                classes);
  }
  CB_TRY(check_counts(scores.size() / classes, actual.size()));
  CB_TRY(check_labels(actual, classes));
  double sum = 0;
  for (size_t label = 0; label < classes; ++label) {
    CB_ASSIGN(const double value,
              area(scores.subspan(label), classes, actual, static_cast<int64_t>(label)));
    sum += value;
  }
  return sum / static_cast<double>(classes);
}

}  // namespace crossbind::stats
