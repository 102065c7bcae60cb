// What an inference says, held against what the binding said that trained the parameters (or
// whoever else is asked to be right). Whether that is good enough is not decided here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/trial_job.h"
#include "store/record.h"

namespace crossbind::run {

// The tensors that say what is right of the test set.
[[nodiscard]] std::vector<std::string> test_targets(const model::Model& model);

// The record of the inference, which has its accuracy and the hash of `outputs`, gets, about these
// and job.expected:
//   "infer.expected"           the accuracy that the expected outputs have
//   "infer.differing"          samples whose predictions differ
//   "infer.margin"             where they do: the smallest and the largest margin
//   (stats/agreement.h) "infer.output_difference"  the largest difference of two outputs
// as series, and the fact "expected_outputs_sha256". An accuracy that its own outputs do not bear
// out becomes the fact "contradiction.accuracy". Without labels among the data nothing is said of
// accuracy.
[[nodiscard]] Status compare_outputs(const TrialJob& job,
                                     const std::filesystem::path& outputs,
                                     store::TrialRecord& record);

}  // namespace crossbind::run
