#include "report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace crossbind::report {
namespace {

using analysis::Observation;

// How the trials of one task ended.
struct Ends {
  size_t done = 0;
  size_t failed = 0;
  size_t unsupported = 0;
  std::set<std::string> reasons;  // of those that are not done
};

// All that a store has of a binding and a model.
struct Cell {
  std::map<std::string, Ends> tasks;
  size_t judged = 0;
  size_t diverging = 0;
  std::optional<double> largest_error;
  std::set<std::string> where;
  size_t compared = 0;  // trainings that can be held against the default binding's
  size_t identical = 0;
};

using Cells = std::map<std::pair<std::string, std::string>, Cell>;

// Parameters that the default binding of a framework trained, by all that a training is told.
using Trained = std::map<std::tuple<analysis::Scope, std::string, uint32_t, int>, std::string>;

auto training_key(const Observation& seen) {
  return std::tuple(*seen.scope, seen.axes.measure, seen.axes.seed, seen.axes.repeat);
}

Trained trained_by_default(const analysis::Observed& observed, const Notes& notes) {
  Trained trained;
  for (const auto& seen : observed.trials) {
    const auto& parameters = notes.at(seen.identity).parameters;
    if (seen.is_training() && seen.is_done() && seen.binding == analysis::kReference &&
        !parameters.empty()) {
      trained.try_emplace(training_key(seen), parameters);
    }
  }
  return trained;
}

void add(const Observation& seen, const Note& note, const Trained& trained, Cell& cell) {
  auto& ends = cell.tasks[seen.axes.task];
  if (!seen.is_done()) {
    ++(seen.outcome == store::Outcome::kFailed ? ends.failed : ends.unsupported);
    ends.reasons.insert(note.reason);
    return;
  }
  ++ends.done;
  if (seen.axes.task == "judge") {
    ++cell.judged;
    cell.diverging += note.verdict == "diverges" ? 1 : 0;
    if (note.largest_error) {
      cell.largest_error =
          std::max(cell.largest_error.value_or(*note.largest_error), *note.largest_error);
    }
    if (!note.where.empty()) {
      cell.where.insert(note.where);
    }
  }
  if (seen.is_training() && seen.binding != analysis::kReference && !note.parameters.empty()) {
    if (const auto other = trained.find(training_key(seen)); other != trained.end()) {
      ++cell.compared;
      cell.identical += other->second == note.parameters ? 1 : 0;
    }
  }
}

// Where the referee has said nothing, a binding that can do none of it is not merely unmeasured.
Agreement without_judgement(const Cell& cell) {
  Ends all;
  for (const auto& [task, ends] : cell.tasks) {
    const bool tells = task == "judge" || task == "train";
    all.done += tells ? ends.done : 0;
    all.failed += tells ? ends.failed : 0;
    all.unsupported += tells ? ends.unsupported : 0;
  }
  if (all.failed > 0) {
    return Agreement::kFailed;
  }
  return all.unsupported > 0 && all.done == 0 ? Agreement::kUnsupported : Agreement::kNotMeasured;
}

Agreement agreement_of(const Cell& cell) {
  if (cell.diverging > 0) {
    return Agreement::kDiverges;
  }
  const auto judge = cell.tasks.find("judge");
  if (judge != cell.tasks.end() && judge->second.failed > 0) {
    return Agreement::kFailed;
  }
  if (cell.judged == 0) {
    return without_judgement(cell);
  }
  return cell.compared > 0 && cell.identical == cell.compared ? Agreement::kAgrees
                                                              : Agreement::kRounding;
}

std::string trials(size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "trial" : "trials");
}

std::vector<std::string> why(const Cell& cell) {
  std::vector<std::string> lines;
  for (const auto& where : cell.where) {
    lines.push_back("The referee: " + where + ".");
  }
  if (cell.judged > 0) {
    lines.push_back(fmt::format(
        "The referee judged {}; {} diverged{}.",
        trials(cell.judged),
        cell.diverging,
        cell.largest_error
            ? fmt::format("; the largest error is {:.3g} of its bound", *cell.largest_error)
            : ""));
  } else {
    lines.emplace_back("The referee has judged no trial.");
  }
  if (cell.compared > 0) {
    lines.push_back(fmt::format("{} of {} trainings end in the very parameters of Python's.",
                                cell.identical,
                                cell.compared));
  }
  for (const auto& [task, ends] : cell.tasks) {
    lines.push_back(fmt::format(
        "{}: {} done, {} unsupported, {} failed.", task, ends.done, ends.unsupported, ends.failed));
    for (const auto& reason : ends.reasons) {
      lines.push_back(fmt::format("{}: {}", task, reason));
    }
  }
  return lines;
}

}  // namespace

std::vector<Verdict> verdicts_of(const analysis::Observed& observed,
                                 const Notes& notes,
                                 const Report& report) {
  const Trained trained = trained_by_default(observed, notes);
  Cells cells;
  for (const auto& seen : observed.trials) {
    add(seen, notes.at(seen.identity), trained, cells[{seen.axes.binding, seen.axes.model}]);
  }
  std::vector<Verdict> verdicts;
  verdicts.reserve(report.bindings.size() * report.models.size());
  for (const auto& binding : report.bindings) {
    for (const auto& model : report.models) {
      const Cell& cell = cells[{binding, model}];
      verdicts.push_back(
          {binding, model, agreement_of(cell), cell.judged, cell.largest_error, why(cell)});
    }
  }
  return verdicts;
}

}  // namespace crossbind::report
