// How `dataset list` and `dataset check` look: an aligned table for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "data/dataset.h"

namespace crossbind::cli {

struct DatasetLine {
  data::DatasetInfo info;
  data::Inspection inspection;
};

// "ready", "corrupt", "absent", or "unavailable" when it is absent and needs a file of the user's.
[[nodiscard]] std::string state_name(const DatasetLine& line);

[[nodiscard]] std::string list_table(const std::vector<DatasetLine>& lines);
[[nodiscard]] std::string check_text(const std::vector<DatasetLine>& lines);

// An array of objects; "reason" and "sha256" are null where there is none.
[[nodiscard]] std::string datasets_json(const std::vector<DatasetLine>& lines,
                                        const std::filesystem::path& cache);

}  // namespace crossbind::cli
