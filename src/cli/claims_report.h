// What became of claims, as a table for people or as JSON.
#pragma once

#include <string>
#include <vector>

#include "claims/judged_list.h"

namespace crossbind::cli {

[[nodiscard]] std::string claims_table(const std::vector<claims::JudgedList>& results);
[[nodiscard]] std::string claims_json(const std::vector<claims::JudgedList>& results);

}  // namespace crossbind::cli
