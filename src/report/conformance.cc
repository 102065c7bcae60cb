#include "report/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace crossbind::report {
namespace {

using tasks::ConformOutcome;

Grade grade_of(const tasks::Conformed& verdict) {
  if (tasks::diverges(verdict)) {
    return Grade::kDiverges;
  }
  switch (verdict.outcome) {
    case ConformOutcome::kBitForBit:
      return Grade::kAgrees;
    case ConformOutcome::kRounding:
      return Grade::kRounding;
    case ConformOutcome::kConvention:
      return Grade::kConvention;
    case ConformOutcome::kUnsupported:
      return Grade::kUnsupported;
    case ConformOutcome::kFailed:
      return Grade::kFailed;
    case ConformOutcome::kKnown:
    case ConformOutcome::kDiverges:
      break;  // they diverge
  }
  return Grade::kNotMeasured;
}

std::optional<double> ratio_of(const tasks::Conformed& verdict) {
  const bool says = tasks::has_ratio(verdict) && std::isfinite(verdict.ratio);
  return says ? std::optional(verdict.ratio) : std::nullopt;
}

std::vector<std::string> why(const tasks::Conformed& verdict) {
  std::vector<std::string> lines = {
      fmt::format("conform: {}.", name_in(tasks::kConformOutcomes, verdict.outcome))};
  if (const auto ratio = ratio_of(verdict)) {
    lines.push_back(fmt::format("conform: the largest error is {:.3g} of its bound.", *ratio));
  }
  for (const auto& convention : verdict.conventions) {
    lines.push_back(fmt::format("conform: {}.", convention));
  }
  if (!verdict.reason.empty()) {
    lines.push_back(fmt::format("conform: {}", verdict.reason));
  }
  if (verdict.divergence) {
    lines.push_back(fmt::format("conform: {}.", tasks::where_in_words(*verdict.divergence)));
  }
  return lines;
}

void name(const std::string& text, std::vector<std::string>& names) {
  if (std::ranges::find(names, text) == names.end()) {
    names.push_back(text);
  }
}

// The report's matrix while verdicts are put into it.
class GradeGrid {
 public:
  explicit GradeGrid(Report& report) : report_(report) {
    for (auto& graded : report.graded) {
      cells_.emplace(std::pair(graded.binding, graded.model), std::move(graded));
    }
  }

  void put(const std::string& binding, const std::string& model, const tasks::Conformed& verdict) {
    name(binding, report_.bindings);
    name(model, report_.models);
    auto& cell = cells_.try_emplace({binding, model}, Graded{binding, model}).first->second;
    if (cell.grade != Grade::kDiverges) {
      cell.grade = grade_of(verdict);
    }
    ++cell.judged;
    if (const auto ratio = ratio_of(verdict)) {
      cell.largest_error = std::max(cell.largest_error.value_or(*ratio), *ratio);
    }
    const auto lines = why(verdict);
    cell.why.insert(cell.why.begin(), lines.begin(), lines.end());
  }

  void note(const std::string& binding, const std::string& model, const std::string& line) {
    cells_.at({binding, model}).why.push_back(line);
  }

  void finish() && {
    report_.graded.clear();
    for (const auto& binding : report_.bindings) {
      for (const auto& model : report_.models) {
        report_.graded.push_back(
            cells_.try_emplace({binding, model}, Graded{binding, model}).first->second);
      }
    }
  }

 private:
  Report& report_;
  std::map<std::pair<std::string, std::string>, Graded> cells_;
};

}  // namespace

void add_conformance(const std::vector<analysis::StoredVerdict>& stored,
                     const std::vector<tasks::Verdict>& filed,
                     Report& into) {
  if (stored.empty() && filed.empty()) {
    return;
  }
  std::set<std::pair<std::string, std::string>> in_file;
  for (const auto& one : filed) {
    in_file.emplace(one.binding, one.model);
  }
  GradeGrid matrix(into);
  for (const auto& one : stored) {
    if (!in_file.contains({one.axes.binding, one.axes.model})) {
      matrix.put(one.axes.binding, one.axes.model, one.verdict);
    }
  }
  for (const auto& one : filed) {
    matrix.put(one.binding, one.model, one);
  }
  for (const auto& one : stored) {
    if (in_file.contains({one.axes.binding, one.axes.model})) {
      matrix.note(one.axes.binding,
                  one.axes.model,
                  fmt::format("conform: the file's verdict stands; the store's is '{}'.",
                              name_in(tasks::kConformOutcomes, one.verdict.outcome)));
    }
  }
  std::move(matrix).finish();
}

}  // namespace crossbind::report
