// How good predictions are. Labels are class numbers; predictions and labels must be equally many
// and at least one. Nothing asks yet: it is for scores of saved outputs.
#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"

namespace crossbind::stats {

using ClassNumbers = std::span<const int64_t>;

// The share of predictions that are right.
[[nodiscard]] Result<double> accuracy(ClassNumbers predicted, ClassNumbers actual);

// The mean over the classes that occur, predicted or actual, of the harmonic mean of precision and
// recall; 0 for a class without a right prediction. Sokolova and Lapalme, "A systematic analysis of
// performance measures for classification tasks", Information Processing and Management 45 (2009),
// the F1 of each class averaged, as scikit-learn does.
[[nodiscard]] Result<double> macro_f1(ClassNumbers predicted, ClassNumbers actual);

// The probability that a sample of class 1 scores higher than one of class 0, a tie counting half:
// Hanley and McNeil, "The meaning and use of the area under a receiver operating characteristic
// curve", Radiology 143 (1982). Labels are 0 and 1, and both occur. Infinite scores have an order;
// NaN is an error.
[[nodiscard]] Result<double> roc_auc(std::span<const double> scores, ClassNumbers actual);

// The mean over the classes 0 to `classes` - 1 of the area of each against the rest. Scores are one
// row of `classes` a sample; every class occurs, and not alone.
[[nodiscard]] Result<double> macro_roc_auc(std::span<const double> scores,
                                           ClassNumbers actual,
                                           size_t classes);

}  // namespace crossbind::stats
