#include "store/result_store.h"

#include <algorithm>
#include <unordered_set>

namespace crossbind::store {
namespace {

class Merger {
 public:
  Merger(const StoreReader& from, ResultStore& into) : from_(from), into_(into) {}

  Result<MergeCounts> run() {
    CB_ASSIGN(outcomes_, into_.outcomes());
    CB_ASSIGN(const auto known, into_.studies());
    CB_ASSIGN(const auto studies, from_.studies());
    for (const auto& study : studies) {
      counts_.studies +=
          std::ranges::find(known, study.id, &StoredStudy::id) == known.end() ? 1 : 0;
      CB_ASSIGN(const auto id, into_.add_study(study.record));
      CB_ASSIGN(const auto trials, from_.trials(study.id));
      for (const auto& trial : trials) {
        CB_TRY(merge_trial(id, trial));
      }
    }
    return counts_;
  }

 private:
  Status merge_trial(const StudyId& study, const TrialSummary& trial) {
    const bool first_meeting = met_.insert(trial.identity).second;
    if (!first_meeting) {
      return into_.link_trial(study, trial.identity);
    }
    const auto known = outcomes_.find(trial.identity);
    if (known == outcomes_.end()) {
      ++counts_.added;
      return copy(study, trial.identity);
    }
    const Outcome here = known->second.outcome;
    if (here == Outcome::kFailed && trial.outcome != Outcome::kFailed) {
      ++counts_.replaced;
      return copy(study, trial.identity);
    }
    const bool contradicts = here != trial.outcome && trial.outcome != Outcome::kFailed;
    ++(contradicts ? counts_.contradicting : counts_.already_there);
    return into_.link_trial(study, trial.identity);
  }

  Status copy(const StudyId& study, const std::string& identity) {
    CB_ASSIGN(const auto trial, from_.find_trial(identity));
    if (!trial) {
      return fail(ErrorKind::kCorrupt, "trial {} is listed in the store but not there", identity);
    }
    return into_.add_trial(study, *trial);
  }

  const StoreReader& from_;
  ResultStore& into_;
  Outcomes outcomes_;
  std::unordered_set<std::string> met_;
  MergeCounts counts_;
};

}  // namespace

Result<MergeCounts> ResultStore::merge(const StoreReader& from) {
  MergeCounts counts;
  CB_TRY(transact([&]() -> Status {
    CB_ASSIGN(counts, Merger(from, *this).run());
    return {};
  }));
  return counts;
}

}  // namespace crossbind::store
