// What became of claims, as a table for people or as JSON.
#pragma once

#include <string>
#include <vector>

#include "claims/judge.h"

namespace crossbind::cli {

// A file of claims, each with its verdict.
struct ClaimsResult {
  std::string name;  // of the file, without its folder and ending
  claims::ClaimList list;
  std::vector<claims::JudgedClaim> judged;  // in the list's order
};

[[nodiscard]] std::string claims_table(const std::vector<ClaimsResult>& results);
[[nodiscard]] std::string claims_json(const std::vector<ClaimsResult>& results);

}  // namespace crossbind::cli
