#include "store/memory_store.h"

#include "store/refusals.h"

namespace crossbind::store {

Result<StudyId> MemoryStore::add_study(const StudyRecord& study) {
  StudyId id = id_of(study);
  if (contents_.trials_of.try_emplace(id.sha256).second) {
    contents_.studies.push_back({id, study});
  }
  return id;
}

Status MemoryStore::add_trial(const StudyId& study, const TrialRecord& trial) {
  CB_TRY(validate(trial));
  const auto members = contents_.trials_of.find(study.sha256);
  if (members == contents_.trials_of.end()) {
    return no_such_study(study);
  }
  const auto [entry, is_new] = contents_.index.try_emplace(trial.identity, contents_.trials.size());
  if (is_new) {
    contents_.trials.emplace_back();
  }
  TrialRecord& place = contents_.trials[entry->second];
  if (!is_new && place.outcome != Outcome::kFailed) {
    return already_stored(trial.identity, place.outcome);
  }
  place = trial;
  sort_parts(place);
  members->second.insert(entry->second);
  return {};
}

Status MemoryStore::link_trial(const StudyId& study, const std::string& identity) {
  const auto members = contents_.trials_of.find(study.sha256);
  if (members == contents_.trials_of.end()) {
    return no_such_study(study);
  }
  const auto entry = contents_.index.find(identity);
  if (entry == contents_.index.end()) {
    return no_such_trial(identity);
  }
  members->second.insert(entry->second);
  return {};
}

Status MemoryStore::transact(const std::function<Status()>& work) {
  Contents before = contents_;
  auto status = work();
  if (!status) {
    contents_ = std::move(before);
  }
  return status;
}

Result<std::vector<StoredStudy>> MemoryStore::studies() const {
  return contents_.studies;
}

Result<std::vector<TrialSummary>> MemoryStore::trials(const std::optional<StudyId>& study) const {
  std::vector<TrialSummary> summaries;
  CB_TRY(for_each_trial(study, [&](const TrialRecord& trial) -> Status {
    summaries.push_back(static_cast<const TrialSummary&>(trial));
    return {};
  }));
  return summaries;
}

Result<Outcomes> MemoryStore::outcomes() const {
  Outcomes outcomes;
  for (const auto& trial : contents_.trials) {
    outcomes.emplace(trial.identity, StoredOutcome{trial.outcome, trial.reason});
  }
  return outcomes;
}

Result<std::optional<TrialRecord>> MemoryStore::find_trial(const std::string& identity) const {
  const auto entry = contents_.index.find(identity);
  if (entry == contents_.index.end()) {
    return std::nullopt;
  }
  return contents_.trials[entry->second];
}

Status MemoryStore::for_each_trial(const std::optional<StudyId>& study,
                                   const Visitor& visit) const {
  if (!study) {
    for (const auto& trial : contents_.trials) {
      CB_TRY(visit(trial));
    }
    return {};
  }
  const auto members = contents_.trials_of.find(study->sha256);
  if (members == contents_.trials_of.end()) {
    return no_such_study(*study);
  }
  for (const size_t index : members->second) {
    CB_TRY(visit(contents_.trials[index]));
  }
  return {};
}

Result<std::vector<std::string>> MemoryStore::check() const {
  return std::vector<std::string>();  // nothing comes in but by the functions above
}

}  // namespace crossbind::store
