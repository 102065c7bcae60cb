// The sections of a report, one function each. A section without data says what is not measured and
// how it would be.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "trial/task.h"

namespace crossbind::report {

[[nodiscard]] Section matrix_section(const Report& report);
[[nodiscard]] Section training_section(const Report& report);
[[nodiscard]] Section inference_section(const Report& report);
[[nodiscard]] Section parts_section(const Report& report);
[[nodiscard]] Section curves_section(const Report& report);
[[nodiscard]] Section dtw_section(const Report& report);
[[nodiscard]] Section cross_binding_section(const Report& report);
[[nodiscard]] Section claims_section(const Report& report);
[[nodiscard]] Section memory_section(const Report& report);
[[nodiscard]] Section environment_section(const Report& report);
[[nodiscard]] Section failures_section(const Report& report);
// What the others lack, and what is too little to tell.
[[nodiscard]] Section not_measured_section(const Report& report,
                                           const std::vector<Section>& others);

// The front page in sentences, every statement of which is a number of the report.
[[nodiscard]] std::vector<std::string> summary_of(const Report& report);
[[nodiscard]] std::vector<Tile> tiles_of(const Report& report);

// What a study says that asks for these, for advice: tasks = ["train", "judge"].
[[nodiscard]] std::string tasks_of_study(const std::vector<trial::Task>& tasks);

// "lenet5, gpu, loader idiomatic".
[[nodiscard]] std::string title_of(const Group& group, const std::vector<std::string>& varied);

// Columns and cells that every row of a group begins with.
[[nodiscard]] std::vector<std::string> group_columns(const std::vector<std::string>& varied);
[[nodiscard]] std::vector<analysis::Value> group_cells(const Group& group);

// Adds a figure for each run of rows of the same group, which come in the order of the table. The
// title of `like` comes after that of the group.
void add_figures(const std::vector<Group>& groups,
                 const std::vector<std::string>& varied,
                 const Figure& like,
                 Section& section);

}  // namespace crossbind::report
