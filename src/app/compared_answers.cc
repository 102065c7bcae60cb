#include "app/compared_answers.h"

#include <cmath>
#include <variant>
#include <vector>

#include "tasks/measured.h"

namespace crossbind::app {
namespace {

// A worker may have rounded its share to float32.
constexpr double kSameAccuracy = 1e-6;

std::optional<double> first_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(values.front());
}

bool is_identical(const tasks::Inferred& inferred) {
  return !inferred.outputs_sha256.empty() &&
         inferred.outputs_sha256 == inferred.expected_outputs_sha256;
}

}  // namespace

double ComparedAnswers::accuracy_change() const {
  return accuracy && expected_accuracy ? *accuracy - *expected_accuracy : 0;
}

ComparedAnswers compared_answers(const store::TrialRecord& trial) {
  ComparedAnswers answers;
  answers.reason = trial.reason;
  if (trial.outcome != store::Outcome::kDone) {
    answers.sameness =
        trial.outcome == store::Outcome::kFailed ? Sameness::kFailed : Sameness::kUnsupported;
    return answers;
  }
  const auto measured = tasks::read(trial);
  const auto* found = measured ? std::get_if<tasks::Inferred>(&*measured) : nullptr;
  const tasks::Inferred inferred = found == nullptr ? tasks::Inferred() : *found;
  const auto& margins = inferred.answers.margins;
  answers.accuracy = first_of(inferred.test.accuracy);
  answers.expected_accuracy = first_of(inferred.test.expected);
  answers.differing = first_of(inferred.answers.differing);
  answers.smallest_margin = first_of(margins);
  answers.largest_margin = margins.empty() ? std::nullopt : std::optional(margins.back());
  answers.output_difference = first_of(inferred.answers.output_difference);
  if (!answers.differing) {
    answers.reason = "it was not compared with anything";
    return answers;
  }
  const bool differs =
      *answers.differing > 0 || std::abs(answers.accuracy_change()) > kSameAccuracy;
  answers.sameness = differs                  ? Sameness::kDiffers
                     : is_identical(inferred) ? Sameness::kIdentical
                                              : Sameness::kClose;
  return answers;
}

}  // namespace crossbind::app
