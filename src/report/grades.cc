#include "report/grades.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "tasks/rules.h"

namespace crossbind::report {
namespace {

using analysis::Observation;

// How the trials of one task ended.
struct Ends {
  trial::Task task = trial::Task::kTrain;
  size_t done = 0;
  size_t failed = 0;
  size_t unsupported = 0;
  std::set<std::string> reasons;  // of those that are not done
};

// All that a store has of a binding and a model.
struct Cell {
  std::map<std::string, Ends> tasks;  // by name
  size_t judged = 0;
  size_t failed_judgements = 0;
  size_t diverging = 0;
  std::optional<double> largest_error;
  std::set<std::string> where;
  size_t compared = 0;  // trainings that can be held against the baseline's
  size_t identical = 0;
};

using Cells = std::map<std::pair<std::string, std::string>, Cell>;

// Parameters that a framework's baseline trained, by all that a training is told.
using BaselineParameters =
    std::map<std::tuple<analysis::Scope, std::string, uint32_t, int>, std::string>;

auto training_key(const Observation& seen) {
  return std::tuple(*seen.scope, seen.axes.measure, seen.axes.seed, seen.axes.repeat);
}

BaselineParameters trained_by_baseline(const analysis::Observed& observed) {
  BaselineParameters trained;
  for (const auto& seen : observed.trials) {
    const auto& parameters = seen.parameters_sha256;
    if (seen.is_training() && seen.is_done() && seen.binding == analysis::kBaseline &&
        !parameters.empty()) {
      trained.try_emplace(training_key(seen), parameters);
    }
  }
  return trained;
}

void add(const Observation& seen, const Note& note, const BaselineParameters& trained, Cell& cell) {
  auto& ends = cell.tasks[seen.axes.task];
  ends.task = seen.task;
  if (!seen.is_done()) {
    const bool failed = seen.outcome == store::Outcome::kFailed;
    ++(failed ? ends.failed : ends.unsupported);
    cell.failed_judgements += failed && seen.judged ? 1 : 0;
    ends.reasons.insert(note.reason);
    return;
  }
  ++ends.done;
  if (seen.judged) {
    ++cell.judged;
    cell.diverging += tasks::diverges(*seen.judged) ? 1 : 0;
    if (const auto largest = tasks::largest_ratio(*seen.judged)) {
      cell.largest_error = std::max(cell.largest_error.value_or(*largest), *largest);
    }
    if (!seen.judged->where.empty()) {
      cell.where.insert(seen.judged->where);
    }
  }
  const auto& parameters = seen.parameters_sha256;
  if (seen.is_training() && seen.binding != analysis::kBaseline && !parameters.empty()) {
    if (const auto other = trained.find(training_key(seen)); other != trained.end()) {
      ++cell.compared;
      cell.identical += other->second == parameters ? 1 : 0;
    }
  }
}

// Where the referee has said nothing, a binding that can do none of it is not merely unmeasured.
Grade without_judgement(const Cell& cell) {
  Ends all;
  for (const auto& [name, ends] : cell.tasks) {
    const bool tells = tasks::rules_of(ends.task).takes_steps;
    all.done += tells ? ends.done : 0;
    all.failed += tells ? ends.failed : 0;
    all.unsupported += tells ? ends.unsupported : 0;
  }
  if (all.failed > 0) {
    return Grade::kFailed;
  }
  return all.unsupported > 0 && all.done == 0 ? Grade::kUnsupported : Grade::kNotMeasured;
}

Grade grade_of(const Cell& cell) {
  if (cell.diverging > 0) {
    return Grade::kDiverges;
  }
  if (cell.failed_judgements > 0) {
    return Grade::kFailed;
  }
  if (cell.judged == 0) {
    return without_judgement(cell);
  }
  return cell.compared > 0 && cell.identical == cell.compared ? Grade::kAgrees : Grade::kRounding;
}

std::vector<std::string> why(const Cell& cell) {
  std::vector<std::string> lines;
  for (const auto& where : cell.where) {
    lines.push_back("The referee: " + where + ".");
  }
  if (cell.judged > 0) {
    lines.push_back(fmt::format(
        "The referee judged {} {}; {} diverged{}.",
        cell.judged,
        plural(cell.judged, "trial", "trials"),
        cell.diverging,
        cell.largest_error
            ? fmt::format("; the largest error is {:.3g} of its bound", *cell.largest_error)
            : ""));
  } else {
    lines.emplace_back("The referee has judged no trial.");
  }
  if (cell.compared > 0) {
    lines.push_back(fmt::format("{} of {} {} in the very parameters of Python's.",
                                cell.identical,
                                cell.compared,
                                plural(cell.compared, "training ends", "trainings end")));
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

std::vector<Graded> grade_all(const analysis::Observed& observed,
                              const Notes& notes,
                              const Report& report) {
  const BaselineParameters trained = trained_by_baseline(observed);
  Cells cells;
  for (const auto& seen : observed.trials) {
    add(seen, notes.at(seen.identity), trained, cells[{seen.axes.binding, seen.axes.model}]);
  }
  std::vector<Graded> graded;
  graded.reserve(report.bindings.size() * report.models.size());
  for (const auto& binding : report.bindings) {
    for (const auto& model : report.models) {
      const Cell& cell = cells[{binding, model}];
      graded.push_back(
          {binding, model, grade_of(cell), cell.judged, cell.largest_error, why(cell)});
    }
  }
  return graded;
}

}  // namespace crossbind::report
