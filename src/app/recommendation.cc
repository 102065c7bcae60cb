#include "app/recommendation.h"

#include <algorithm>

#include "store/open.h"

namespace crossbind::app {

bool Recommendation::is_about_nothing() const {
  return std::ranges::all_of(rankings, [](const decide::Ranking& ranking) {
    return ranking.answer == decide::Answer::kNothing && ranking.left_out.empty();
  });
}

Result<Recommendation> recommend_from(const std::string& store, const decide::Question& question) {
  CB_ASSIGN(const auto reader, store::open_for_reading(store));
  Recommendation made;
  CB_ASSIGN(made.cases, decide::gather_evidence(*reader));
  CB_ASSIGN(made.rankings, decide::recommend(made.cases, question));
  return made;
}

}  // namespace crossbind::app
