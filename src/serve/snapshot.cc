#include "serve/snapshot.h"

#include <algorithm>

namespace crossbind::serve {

const StudyView* Snapshot::find_study(const std::string& id) const {
  const auto found = std::ranges::find_if(
      studies, [&](const StudyView& view) { return view.study.id.sha256 == id; });
  return found == studies.end() ? nullptr : &*found;
}

Result<Snapshot> take_snapshot(const store::StoreReader& store, uint64_t version) {
  Snapshot snapshot;
  snapshot.version = version;
  CB_ASSIGN(auto studies, store.studies());
  std::vector<std::vector<store::TrialSummary>> members;
  members.reserve(studies.size());
  for (const auto& study : studies) {
    CB_ASSIGN(auto trials, store.trials(study.id));
    members.push_back(std::move(trials));
  }
  // After the studies: what one of them has is then here, whoever is writing.
  CB_ASSIGN(snapshot.trials, store.trials(std::nullopt));
  std::unordered_map<std::string, uint32_t> places;
  places.reserve(snapshot.trials.size());
  for (uint32_t i = 0; i < snapshot.trials.size(); ++i) {
    places.emplace(snapshot.trials[i].identity, i);
  }
  snapshot.studies.reserve(studies.size());
  for (size_t i = 0; i < studies.size(); ++i) {
    StudyView view{std::move(studies[i]), {}, std::nullopt};
    view.trials.reserve(members[i].size());
    for (const auto& trial : members[i]) {
      if (const auto place = places.find(trial.identity); place != places.end()) {
        view.trials.push_back(place->second);
      }
    }
    snapshot.studies.push_back(std::move(view));
  }
  return snapshot;
}

void OutcomeCounts::add(store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::kDone:
      ++done;
      break;
    case store::Outcome::kFailed:
      ++failed;
      break;
    case store::Outcome::kUnsupported:
      ++unsupported;
      break;
  }
}

}  // namespace crossbind::serve
