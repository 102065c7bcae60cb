#include "cli/answers_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/named.h"
#include "base/text.h"
#include "cli/command_line.h"

namespace crossbind::cli {
namespace {

using app::ComparedAnswers;
using app::Sameness;

constexpr int kCouldNotRun = 3;

constexpr std::array kWords = {Named<Sameness>{"identical", Sameness::kIdentical},
                               Named<Sameness>{"close", Sameness::kClose},
                               Named<Sameness>{"differs", Sameness::kDiffers},
                               Named<Sameness>{"unsupported", Sameness::kUnsupported},
                               Named<Sameness>{"failed", Sameness::kFailed},
                               Named<Sameness>{"not run", Sameness::kNotRun}};

}  // namespace

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
                         answers.accuracy_change() * 100);
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
  const auto differing = static_cast<uint64_t>(answers.differing.value_or(0));
  std::string text = fmt::format(
      "{} {}", differing, plural(differing, "prediction differs", "predictions differ"));
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
