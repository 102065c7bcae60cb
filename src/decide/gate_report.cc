#include "decide/gate_report.h"

#include <fmt/format.h>

#include "analysis/table.h"
#include "base/text.h"
#include "decide/github.h"

namespace crossbind::decide {
namespace {

using analysis::markdown_text;

std::string times_text(const TreatmentTime& time) {
  return fmt::format("{:.4g} s, was {:.4g} s, ratio {}, p = {:.2g} after correction, n = {} and {}",
                     time.finding.median_candidate,
                     time.finding.median_baseline,
                     ratio_text(time.finding.ratio, time.ratio_interval),
                     time.finding.p_adjusted,
                     time.n_baseline,
                     time.n_candidate);
}

void remark_on_time(const TreatmentTime& time, std::vector<Remark>& remarks) {
  const auto& found = time.finding;
  if (found.pace == Pace::kSlower) {
    remarks.push_back({true, "slower", fmt::format("{}: {}", time.treatment, times_text(time))});
  } else if (found.needed > 0) {
    remarks.push_back(
        {false,
         "too few samples",
         fmt::format("{}: {} and {} samples {}; {} each would do",
                     time.treatment,
                     time.n_baseline,
                     time.n_candidate,
                     found.pace == Pace::kTooFew ? "cannot show a slowdown"
                                                 : "cannot show a slowdown of this alone",
                     found.needed)});
  }
}

}  // namespace

std::string ratio_text(double ratio, const std::optional<stats::Interval>& interval) {
  return interval ? fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio, interval->low, interval->high)
                  : fmt::format("{:.3f}", ratio);
}

std::vector<Remark> remarks_on(const Gate& gate) {
  std::vector<Remark> remarks;
  for (const auto& [treatment, trial, change] : gate.changes) {
    remarks.push_back(
        {true,
         std::string(to_string(change.kind)),
         fmt::format("{}{}{}: {}", treatment, trial.empty() ? "" : ", ", trial, change.what)});
  }
  for (const auto& time : gate.times) {
    if (time.finding.pace == Pace::kSlower) {
      remark_on_time(time, remarks);
    }
  }
  for (const auto& reason : gate.undecided) {
    remarks.push_back({true, "undecided", reason});
  }
  for (const auto& [treatment, trials] : gate.missing) {
    remarks.push_back({false,
                       "missing",
                       fmt::format("{}: {} {} of the baseline, none here",
                                   treatment,
                                   trials,
                                   plural(trials, "trial", "trials"))});
  }
  for (const auto& [treatment, trials] : gate.fewer) {
    remarks.push_back(
        {false,
         "missing",
         fmt::format("{}: {} {} fewer", treatment, trials, plural(trials, "trial", "trials"))});
  }
  for (const auto& time : gate.times) {
    if (time.finding.pace != Pace::kSlower) {
      remark_on_time(time, remarks);
    }
  }
  if (!gate.times.empty() && gate.machines_baseline != gate.machines_candidate) {
    remarks.push_back({false,
                       "machines differ",
                       fmt::format("times are of different machines: {} and {}",
                                   fmt::join(gate.machines_baseline, ", "),
                                   fmt::join(gate.machines_candidate, ", "))});
  }
  return remarks;
}

std::vector<std::string> row_of(const TreatmentTime& time) {
  return {time.treatment,
          fmt::format("{:.4g}", time.finding.median_baseline),
          fmt::format("{:.4g}", time.finding.median_candidate),
          ratio_text(time.finding.ratio, time.ratio_interval),
          time.finding.noise ? fmt::format("{:.3f}", *time.finding.noise) : "-",
          fmt::format("{:.2g}", time.finding.p_adjusted),
          fmt::format("{} / {}", time.n_baseline, time.n_candidate),
          std::string(to_string(time.finding.pace))};
}

std::vector<std::string> notes_on(const Gate& gate) {
  std::vector<std::string> notes;
  const auto note =
      [&](size_t count, std::string_view one, std::string_view more, std::string_view what) {
        if (count > 0) {
          notes.push_back(fmt::format("{} {} {}.", count, plural(count, one, more), what));
        }
      };
  note(gate.compared, "trial is", "trials are", "in both stores");
  note(gate.same,
       "of them is",
       "of them are",
       "one and the same measurement, which says nothing about a candidate");
  note(gate.other_bits, "training", "trainings", "came to other parameters, bit for bit");
  note(gate.unjudged_accuracies,
       "changed accuracy was",
       "changed accuracies were",
       "not judged: neither the size of the test set nor three seeds are known");
  note(gate.repaired, "trial was", "trials were", "done that had not been before");
  note(gate.added, "subject is", "subjects are", "new in the candidate");
  if (!gate.options.max_slowdown) {
    notes.emplace_back("Times were not judged.");
  }
  return notes;
}

std::string gate_annotations(const Gate& gate) {
  std::string text;
  for (const auto& remark : remarks_on(gate)) {
    text += annotation(remark.is_error ? Severity::kError : Severity::kWarning,
                       "crossbind gate: " + remark.title,
                       remark.text);
  }
  return text;
}

std::string gate_markdown(const Gate& gate) {
  std::string text = fmt::format("## crossbind gate: {}\n\n", to_string(gate.decision));
  for (const auto& remark : remarks_on(gate)) {
    text += fmt::format("- **{}** {}\n", markdown_text(remark.title), markdown_text(remark.text));
  }
  for (const auto& note : notes_on(gate)) {
    text += fmt::format("- {}\n", markdown_text(note));
  }
  if (gate.times.empty()) {
    return text;
  }
  text +=
      "\n| what | baseline, s | candidate, s | ratio (95 %) | noise | p, corrected | n | |\n"
      "|---|---:|---:|---:|---:|---:|---:|---|\n";
  for (const auto& time : gate.times) {
    text += "|";
    for (const auto& cell : row_of(time)) {
      text += fmt::format(" {} |", markdown_text(cell));
    }
    text += "\n";
  }
  return text;
}

std::string self_test_text(const SelfTest& test, const TimeLimits& limits) {
  if (decision_of(test, limits) == GateDecision::kUndecided) {
    return fmt::format(
        "undecided: {} {} samples to deal out, none enough for halves that could be significant "
        "at {}\n",
        test.comparisons,
        plural(test.comparisons, "comparison has", "comparisons have"),
        limits.alpha);
  }
  return fmt::format(
      "false alarms: {} of {} resamplings ({:.1f} %), at most {:.1f} % are allowed\n"
      "without the limit of {:.1f} %: {} of {}\n"
      "{} {}, {} of them with halves large enough to raise an alarm\n",
      test.alarms,
      test.resamplings,
      100 * test.rate(),
      100 * limits.alpha,
      100 * limits.slowdown,
      test.significant,
      test.resamplings,
      test.comparisons,
      plural(test.comparisons, "comparison", "comparisons"),
      test.can_alarm);
}

}  // namespace crossbind::decide
