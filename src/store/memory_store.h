// A store that ends with the program: for tests, and for results nobody wants to keep.
#pragma once

#include <map>
#include <set>

#include "store/result_store.h"

namespace crossbind::store {

class MemoryStore final : public ResultStore {
 public:
  [[nodiscard]] Result<StudyId> add_study(const StudyRecord& study) override;
  [[nodiscard]] Status add_trial(const StudyId& study, const TrialRecord& trial) override;
  [[nodiscard]] Status link_trial(const StudyId& study, const std::string& identity) override;
  [[nodiscard]] Status transact(const std::function<Status()>& work) override;
  [[nodiscard]] Result<std::vector<StoredStudy>> studies() const override;
  [[nodiscard]] Result<std::vector<TrialSummary>> trials(
      const std::optional<StudyId>& study) const override;
  [[nodiscard]] Result<Outcomes> outcomes() const override;
  [[nodiscard]] Result<std::optional<TrialRecord>> find_trial(
      const std::string& identity) const override;
  [[nodiscard]] Status for_each_trial(const std::optional<StudyId>& study,
                                      const Visitor& visit) const override;
  [[nodiscard]] Result<std::vector<std::string>> check() const override;

 private:
  struct Contents {
    std::vector<StoredStudy> studies;
    std::vector<TrialRecord> trials;
    std::map<std::string, size_t> index;                // of a trial, by identity
    std::map<std::string, std::set<size_t>> trials_of;  // by study; every one has an entry
  };

  Contents contents_;
};

}  // namespace crossbind::store
