#include "cli/compared_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/named.h"
#include "cli/command_line.h"

namespace crossbind::cli {
namespace {

constexpr int kCouldNotRun = 3;

constexpr std::array kWords = {Named<Sameness>{"identical", Sameness::kIdentical},
                               Named<Sameness>{"close", Sameness::kClose},
                               Named<Sameness>{"differs", Sameness::kDiffers},
                               Named<Sameness>{"unsupported", Sameness::kUnsupported},
                               Named<Sameness>{"failed", Sameness::kFailed},
                               Named<Sameness>{"not run", Sameness::kNotRun}};

// A worker may have rounded its share to float32.
constexpr double kSameAccuracy = 1e-6;

std::optional<double> number(const store::TrialRecord& trial, std::string_view metric, bool last) {
  const auto found = std::ranges::find(trial.series, metric, &store::Series::metric);
  if (found == trial.series.end()) {
    return std::nullopt;
  }
  return last ? found->values.back() : found->values.front();
}

double accuracy_change(const ComparedAnswers& answers) {
  return answers.accuracy && answers.expected_accuracy
             ? *answers.accuracy - *answers.expected_accuracy
             : 0;
}

bool is_identical(const store::TrialRecord& trial) {
  const auto own = trial.facts.find("outputs_sha256");
  const auto expected = trial.facts.find("expected_outputs_sha256");
  return own != trial.facts.end() && expected != trial.facts.end() &&
         own->second == expected->second;
}

}  // namespace

ComparedAnswers compared_answers(const store::TrialRecord& trial) {
  ComparedAnswers answers;
  answers.reason = trial.reason;
  if (trial.outcome != store::Outcome::kDone) {
    answers.sameness =
        trial.outcome == store::Outcome::kFailed ? Sameness::kFailed : Sameness::kUnsupported;
    return answers;
  }
  answers.accuracy = number(trial, "infer.accuracy", false);
  answers.expected_accuracy = number(trial, "infer.expected", false);
  answers.differing = number(trial, "infer.differing", false);
  answers.smallest_margin = number(trial, "infer.margin", false);
  answers.largest_margin = number(trial, "infer.margin", true);
  answers.output_difference = number(trial, "infer.output_difference", false);
  if (!answers.differing) {
    answers.reason = "it was not compared with anything";
    return answers;
  }
  const bool differs = *answers.differing > 0 || std::abs(accuracy_change(answers)) > kSameAccuracy;
  answers.sameness = differs               ? Sameness::kDiffers
                     : is_identical(trial) ? Sameness::kIdentical
                                           : Sameness::kClose;
  return answers;
}

std::string_view word(Sameness sameness) {
  return name_in(kWords, sameness);
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", share * 100);
}

std::string cell_of(const ComparedAnswers& answers) {
  switch (answers.sameness) {
    case Sameness::kIdentical:
      return "=";
    case Sameness::kClose:
      return fmt::format("≈ {:.0e}", answers.output_difference.value_or(0));
    case Sameness::kDiffers:
      return fmt::format("{} differ, Δacc {:+.2f} %",
                         answers.differing.value_or(0),
                         accuracy_change(answers) * 100);
    case Sameness::kUnsupported:
      return "·";
    case Sameness::kFailed:
    case Sameness::kNotRun:
      break;
  }
  return std::string(word(answers.sameness));
}

std::string story_of(const ComparedAnswers& answers) {
  if (answers.sameness != Sameness::kDiffers) {
    return answers.reason.empty() ? std::string(word(answers.sameness))
                                  : fmt::format("{}: {}", word(answers.sameness), answers.reason);
  }
  std::string text = fmt::format("{} predictions differ", answers.differing.value_or(0));
  if (answers.smallest_margin) {
    text += fmt::format(
        " (margins {:.2g} to {:.2g})", *answers.smallest_margin, *answers.largest_margin);
  }
  if (answers.accuracy && answers.expected_accuracy) {
    text += fmt::format(", accuracy {} instead of {}",
                        percent(*answers.accuracy),
                        percent(*answers.expected_accuracy));
  }
  return text +
         fmt::format(", largest output difference {:.2g}", answers.output_difference.value_or(0));
}

std::vector<std::string> answer_columns() {
  return {"outcome",
          "reason",
          "accuracy",
          "expected_accuracy",
          "differing",
          "smallest_margin",
          "largest_margin",
          "largest_output_difference"};
}

std::vector<analysis::Value> answer_values(const ComparedAnswers& answers) {
  const auto number = [](const std::optional<double>& value) {
    return value ? analysis::Value(*value) : analysis::Value();
  };
  return {std::string(word(answers.sameness)),
          answers.reason,
          number(answers.accuracy),
          number(answers.expected_accuracy),
          number(answers.differing),
          number(answers.smallest_margin),
          number(answers.largest_margin),
          number(answers.output_difference)};
}

int exit_code(const std::vector<ComparedAnswers>& all) {
  const auto any = [&](Sameness sameness) {
    return std::ranges::find(all, sameness, &ComparedAnswers::sameness) != all.end();
  };
  if (any(Sameness::kDiffers)) {
    return kFailure;
  }
  return any(Sameness::kFailed) || any(Sameness::kNotRun) ? kCouldNotRun : kSuccess;
}

}  // namespace crossbind::cli
