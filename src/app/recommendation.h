// Which binding to take, asked of a store that lies somewhere. Decides nothing
// (decide/recommend.h) and prints nothing.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "decide/recommend.h"

namespace crossbind::app {

struct Recommendation {
  std::vector<decide::Ranking> rankings;
  decide::Cases cases;  // all that could have been asked about

  // Whether the store has nothing that the question is about, not even something to leave out.
  [[nodiscard]] bool is_about_nothing() const;
};

[[nodiscard]] Result<Recommendation> recommend_from(const std::string& store,
                                                    const decide::Question& question);

}  // namespace crossbind::app
