#include "cli/cross_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "cli/answers_text.h"
#include "cli/text_table.h"
#include "tasks/rules.h"

namespace crossbind::cli {
namespace {

using app::CrossCell;
using app::Sameness;
using trial::Task;

std::string_view mode_of(Task task) {
  return tasks::rules_of(task).takes_file ? "serialization" : "parameters";
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
