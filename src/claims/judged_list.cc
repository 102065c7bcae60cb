#include "claims/judged_list.h"

#include <algorithm>
#include <utility>

namespace crossbind::claims {

size_t JudgedList::count(Conclusion conclusion) const {
  return static_cast<size_t>(std::ranges::count(judged, conclusion, &JudgedClaim::conclusion));
}

Result<JudgedList> judge_all(NamedList claims, const Cells& cells) {
  JudgedList result{std::move(claims.name), std::move(claims.list), {}};
  result.judged.reserve(result.list.claims.size());
  for (const auto& claim : result.list.claims) {
    CB_ASSIGN(auto judged, judge(claim, cells));
    result.judged.push_back(std::move(judged));
  }
  return result;
}

}  // namespace crossbind::claims
