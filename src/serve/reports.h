// The report of a live store, made in the background: gathering all samples of a large store takes
// seconds, asking for what was made takes none. While the store changes, the last report is shown
// until the next one is there.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "claims/judged_list.h"
#include "report/render.h"
#include "report/report.h"
#include "serve/live_store.h"

namespace crossbind::serve {

struct MadeReport {
  uint64_t version = 0;  // of the snapshot that is in it, at least
  report::Report report;
  std::string page;     // what the page shows, as JSON
  std::string figures;  // as web/plots.js draws them, as JSON
  std::vector<report::File> tables;
};

// A report as long as this lives; none where it is not made yet, or could not be made.
class ReportReading {
 public:
  ReportReading(std::shared_lock<std::shared_mutex> lock,
                const MadeReport* report,
                std::string failure)
      : lock_(std::move(lock)),
        report_(report),
        failure_(std::move(failure)) {}

  [[nodiscard]] explicit operator bool() const { return report_ != nullptr; }
  [[nodiscard]] const MadeReport* operator->() const { return report_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }  // empty: it is being made

 private:
  std::shared_lock<std::shared_mutex> lock_;
  const MadeReport* report_;
  std::string failure_;
};

[[nodiscard]] Result<MadeReport> make_report(const store::StoreReader& store,
                                             const std::optional<store::StudyId>& study,
                                             const std::vector<claims::NamedList>& claims,
                                             uint64_t version);

class Reports {
 public:
  Reports(const LiveStore& live, std::vector<claims::NamedList> claims)
      : live_(live),
        claims_(std::move(claims)) {}

  // The last report made of a study, by its id, or of the whole store, ""; where there is none, it
  // will be made. Any thread.
  [[nodiscard]] ReportReading find(const std::string& study);

  struct Made {
    std::string study;
    uint64_t version = 0;
  };
  // Makes the one that is wanted most: one that is missing, then one that is old. None where there
  // is nothing to make. By one thread.
  std::optional<Made> make_next();

  // Makes what is wanted, again and again, until stop(). `made` is told of each.
  void keep_making(const std::function<void(const Made&)>& on_made);
  void look_again();  // the store has changed
  void stop();

 private:
  struct Entry {
    std::unique_ptr<MadeReport> made;
    std::string failure;                 // why it could not be made
    uint64_t version = 0;                // that was tried last; 0: none yet
    std::atomic<bool> is_wanted = true;  // since then
  };

  [[nodiscard]] std::optional<std::string> most_wanted(uint64_t version) const;
  void add_wanted(const std::string& study);
  void keep(const Made& made, Result<MadeReport> report);
  // Whether to go on.
  bool wait(std::optional<std::chrono::steady_clock::duration> rest);

  const LiveStore& live_;
  std::vector<claims::NamedList> claims_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, Entry> entries_;

  std::mutex waiting_;
  std::condition_variable news_;
  bool has_news_ = false;
  bool is_missed_ = false;  // somebody waits for one that is not there
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace crossbind::serve
