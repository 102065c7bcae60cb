// A file of claims, each with its conclusion.
#pragma once

#include <string>
#include <vector>

#include "claims/judge.h"

namespace crossbind::claims {

struct NamedList {
  std::string name;  // of the file, without its folder and ending
  ClaimList list;
};

struct JudgedList {
  std::string name;
  ClaimList list;
  std::vector<JudgedClaim> judged;  // in the list's order

  [[nodiscard]] size_t count(Conclusion conclusion) const;
};

[[nodiscard]] Result<JudgedList> judge_all(NamedList claims, const Cells& cells);

}  // namespace crossbind::claims
