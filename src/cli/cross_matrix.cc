#include "cli/cross_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/text_table.h"

namespace crossbind::cli {
namespace {

using plan::Plan;
using plan::Trial;
using trial::Task;

constexpr const char* kNotTrained = "it does not train, or does not save what it trains";
constexpr const char* kOtherFramework = "a serialized model stays within its framework";

class Cells {
 public:
  Cells(const spec::Study& study, const Plan& plan, const store::ResultStore& store)
      : study_(study),
        plan_(plan),
        store_(store) {
    for (const Trial& trial : plan.trials) {
      const plan::Condition& condition = plan.condition_of(trial);
      if (trial::infers(condition.task)) {
        trials_[{condition.model, condition.task, condition.weights, trial.binding}] = &trial;
        feeders_.insert(condition.weights);
      }
    }
  }

  [[nodiscard]] Result<std::vector<CrossCell>> make() const {
    std::vector<CrossCell> cells;
    for (size_t model = 0; model < study_.models.size(); ++model) {
      for (const Task task : study_.tasks) {
        if (!trial::infers(task)) {
          continue;
        }
        for (size_t row = 0; row < plan_.bindings.size(); ++row) {
          for (size_t column = 0; column < plan_.bindings.size(); ++column) {
            CB_ASSIGN(auto answers, answers_of({model, task, row, column}));
            const spec::ModelEntry& entry = study_.models[model];
            cells.push_back({entry.label,
                             entry.model.dataset,
                             task,
                             plan_.bindings[row],
                             plan_.bindings[column],
                             std::move(answers)});
          }
        }
      }
    }
    return cells;
  }

 private:
  using Place = std::tuple<size_t, Task, size_t, size_t>;

  [[nodiscard]] Result<ComparedAnswers> answers_of(const Place& place) const {
    const auto found = trials_.find(place);
    if (found == trials_.end()) {
      const bool feeds = feeders_.contains(std::get<2>(place));
      return ComparedAnswers{.sameness = Sameness::kUnsupported,
                             .reason = feeds ? kOtherFramework : kNotTrained};
    }
    const Trial& trial = *found->second;
    CB_ASSIGN(const auto record, store_.find_trial(trial.id.to_string()));
    if (record) {
      return compared_answers(*record);
    }
    return without_record(trial);
  }

  // A model that X cannot train is unsupported in X's row, not something that could not be tried.
  [[nodiscard]] Result<ComparedAnswers> without_record(const Trial& trial) const {
    CB_ASSIGN(const auto training, store_.find_trial(plan_.trials[trial.source].id.to_string()));
    if (training && training->outcome != store::Outcome::kDone) {
      const bool failed = training->outcome == store::Outcome::kFailed;
      return ComparedAnswers{
          .sameness = failed ? Sameness::kNotRun : Sameness::kUnsupported,
          .reason = fmt::format(
              "its training {}: {}", failed ? "failed" : "is unsupported", training->reason)};
    }
    const bool was_planned = plan::is_run(trial.decision);
    return ComparedAnswers{.sameness = Sameness::kNotRun,
                           .reason = was_planned ? "interrupted" : plan_.reason_of(trial)};
  }

  const spec::Study& study_;
  const Plan& plan_;
  const store::ResultStore& store_;
  std::map<Place, const Trial*> trials_;
  std::set<size_t> feeders_;  // bindings
};

std::string_view mode_of(Task task) {
  return task == Task::kInferParameters ? "parameters" : "serialization";
}

// The cells of one matrix: neighbours.
using Matrix = std::span<const CrossCell>;

size_t size_of(Matrix matrix) {
  const auto end = std::ranges::find_if(
      matrix, [&](const CrossCell& cell) { return cell.trained_in != matrix.front().trained_in; });
  return static_cast<size_t>(end - matrix.begin());
}

std::string own_accuracy(Matrix row) {
  for (const CrossCell& cell : row) {
    if (cell.answers.expected_accuracy) {
      return percent(*cell.answers.expected_accuracy);
    }
  }
  return "-";
}

std::string grid_of(Matrix matrix) {
  const size_t size = size_of(matrix);
  std::vector<TextTable::Column> columns = {
      {"", Align::kRight}, {"TRAINED IN"}, {"ACCURACY", Align::kRight}};
  for (size_t i = 1; i <= size; ++i) {
    columns.push_back({std::to_string(i)});
  }
  TextTable table(std::move(columns));
  for (size_t row = 0; row < size; ++row) {
    const Matrix cells = matrix.subspan(row * size, size);
    std::vector<std::string> texts = {
        std::to_string(row + 1), cells.front().trained_in, own_accuracy(cells)};
    for (const CrossCell& cell : cells) {
      texts.push_back(cell_of(cell.answers));
    }
    table.add(std::move(texts));
  }
  return fmt::format("{} on {}, by {}\n{}",
                     matrix.front().model,
                     matrix.front().dataset,
                     mode_of(matrix.front().task),
                     table.to_string());
}

// What differs cell by cell; what is missing by reason.
std::string notes_of(Matrix matrix) {
  std::string text;
  std::map<std::string, size_t> missing;
  for (const CrossCell& cell : matrix) {
    if (cell.answers.sameness == Sameness::kDiffers) {
      text +=
          fmt::format("  {} to {}: {}\n", cell.trained_in, cell.scored_in, story_of(cell.answers));
    } else if (!cell.answers.reason.empty()) {
      ++missing[story_of(cell.answers)];
    }
  }
  for (const auto& [story, count] : missing) {
    text += fmt::format("  {} {}\n", count, story);
  }
  return text;
}

}  // namespace

Result<std::vector<CrossCell>> cross_cells(const spec::Study& study,
                                           const Plan& plan,
                                           const store::ResultStore& store) {
  return Cells(study, plan, store).make();
}

std::string cross_text(const std::vector<CrossCell>& cells) {
  std::string text;
  Matrix rest(cells);
  while (!rest.empty()) {
    const auto end = std::ranges::find_if(rest, [&](const CrossCell& cell) {
      return cell.model != rest.front().model || cell.task != rest.front().task;
    });
    const Matrix matrix = rest.first(static_cast<size_t>(end - rest.begin()));
    text += fmt::format("{}{}\n", grid_of(matrix), notes_of(matrix));
    rest = rest.subspan(matrix.size());
  }
  return text +
         "Columns are the rows' bindings, scoring.  = every output bit for bit  ≈ every "
         "prediction,\n"
         "with the largest output difference  · unsupported\n";
}

analysis::Table cross_table(const std::vector<CrossCell>& cells) {
  analysis::Table table{"cross",
                        "Models trained in one binding and scored in another",
                        {"model", "dataset", "mode", "trained_in", "scored_in"},
                        {}};
  std::ranges::copy(answer_columns(), std::back_inserter(table.columns));
  for (const CrossCell& cell : cells) {
    auto& row =
        table.rows.emplace_back(std::vector<analysis::Value>{cell.model,
                                                             cell.dataset,
                                                             std::string(mode_of(cell.task)),
                                                             cell.trained_in,
                                                             cell.scored_in});
    std::ranges::move(answer_values(cell.answers), std::back_inserter(row));
  }
  return table;
}

}  // namespace crossbind::cli
