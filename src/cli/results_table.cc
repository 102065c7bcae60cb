#include "cli/results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "cli/text_table.h"
#include "stats/summary.h"
#include "tasks/measured.h"
#include "tasks/rules.h"

namespace crossbind::cli {
namespace {

struct Cell {
  size_t done = 0;
  size_t failed = 0;
  size_t unsupported = 0;
  std::vector<double> accuracies;
  std::vector<double> seconds;
  std::vector<double> memory;
};

// In the order of the columns.
using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

Key key_of(const store::Axes& axes) {
  std::string how = axes.loader + ", " + axes.measure;
  if (axes.variant != "step") {
    how += ", " + axes.variant;
  }
  if (axes.device != "cpu") {
    how += ", " + axes.device;
  }
  return {axes.model, axes.dataset, axes.task, how, axes.binding};
}

std::optional<double> median(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(stats::median_in_place(values));
}

void add(Cell& cell, const tasks::Trained& trained) {
  if (!trained.curve.empty() && trained.curve.back().test_accuracy) {
    cell.accuracies.push_back(*trained.curve.back().test_accuracy);
  }
  cell.seconds.push_back(tasks::seconds_of(trained).value_or(0));
}

void add(Cell& cell, const tasks::Inferred& inferred) {
  const auto& [seconds, accuracy, expected, same] = inferred.test;
  cell.accuracies.insert(cell.accuracies.end(), accuracy.begin(), accuracy.end());
  cell.seconds.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
}

// What is judged or tested for conformance takes no time that is compared.
void add(Cell&, const tasks::Judged&) {}
void add(Cell&, const tasks::Conformed&) {}

void add(Cell& cell, const store::TrialRecord& trial, const tasks::Measured& measured) {
  if (trial.outcome != store::Outcome::kDone) {
    ++(trial.outcome == store::Outcome::kFailed ? cell.failed : cell.unsupported);
    return;
  }
  ++cell.done;
  std::visit([&](const auto& one) { add(cell, one); }, measured);
  if (trial.peak_memory) {
    cell.memory.push_back(static_cast<double>(*trial.peak_memory));
  }
}

std::string count_of(const Cell& cell) {
  std::string text = std::to_string(cell.done);
  if (cell.failed > 0) {
    text += fmt::format(", {} failed", cell.failed);
  }
  if (cell.unsupported > 0) {
    text += fmt::format(", {} unsupported", cell.unsupported);
  }
  return text;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f} %", *share * 100) : "-";
}

}  // namespace

Result<std::string> results_table(const store::StoreReader& store,
                                  const store::StudyId& study,
                                  const std::unordered_set<std::string>& identities) {
  std::map<Key, Cell> cells;
  CB_TRY(store.for_each_trial(study, [&](const store::TrialRecord& trial) -> Status {
    if (!identities.contains(trial.identity)) {
      return {};
    }
    CB_ASSIGN(const auto task, tasks::task_of(trial.axes));
    CB_ASSIGN(const auto measured, tasks::read(trial));
    if (tasks::rules_of(task).is_timed) {
      add(cells[key_of(trial.axes)], trial, measured);
    }
    return {};
  }));
  TextTable table({{"MODEL"},
                   {"DATA SET"},
                   {"TASK"},
                   {"HOW"},
                   {"BINDING"},
                   {"TRIALS", Align::kRight},
                   {"TEST ACCURACY", Align::kRight},
                   {"SECONDS", Align::kRight},
                   {"PEAK MEMORY", Align::kRight}});
  for (const auto& [key, cell] : cells) {
    const auto& [model, dataset, task, how, binding] = key;
    const auto seconds = median(cell.seconds);
    const auto memory = median(cell.memory);
    table.add({model,
               dataset,
               task,
               how,
               binding,
               count_of(cell),
               percent(median(cell.accuracies)),
               seconds ? fmt::format("{:.3f}", *seconds) : "-",
               memory ? human_bytes(static_cast<uint64_t>(*memory)) : "-"});
  }
  return table.to_string();
}

}  // namespace crossbind::cli
