// A store for reading whose walk over all trials, which may take seconds, ends early when asked to.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "store/store_reader.h"

namespace crossbind::serve {

class StoppableStore final : public store::StoreReader {
 public:
  StoppableStore(const store::StoreReader& store, const std::atomic<bool>& is_stopped)
      : store_(store),
        is_stopped_(is_stopped) {}

  [[nodiscard]] Result<std::vector<store::StoredStudy>> studies() const override {
    return store_.studies();
  }
  [[nodiscard]] Result<std::vector<store::TrialSummary>> trials(
      const std::optional<store::StudyId>& study) const override {
    return store_.trials(study);
  }
  [[nodiscard]] Result<store::Outcomes> outcomes() const override { return store_.outcomes(); }
  [[nodiscard]] Result<std::optional<store::TrialRecord>> find_trial(
      const std::string& identity) const override {
    return store_.find_trial(identity);
  }
  [[nodiscard]] Status for_each_trial(const std::optional<store::StudyId>& study,
                                      const Visitor& visit) const override {
    return store_.for_each_trial(study, [&](const store::TrialRecord& trial) -> Status {
      if (is_stopped_) {
        return fail(ErrorKind::kUnavailable, "the server is ending");
      }
      return visit(trial);
    });
  }
  [[nodiscard]] Result<std::vector<std::string>> check() const override { return store_.check(); }

 private:
  const store::StoreReader& store_;
  const std::atomic<bool>& is_stopped_;
};

}  // namespace crossbind::serve
