// What `crossbind conform --json` printed, as typed values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tasks/conform/result.h"

namespace crossbind::report {

struct FiledVerdict {
  std::string binding;
  std::string model;
  tasks::Conformed verdict;
};

// Members that are not there are taken for empty; words that are not conform's are an error.
// `place` names the file.
[[nodiscard]] Result<std::vector<FiledVerdict>> read_conform_file(std::string_view json,
                                                                  const std::string& place);

}  // namespace crossbind::report
