#include "serve/reports.h"

#include <algorithm>
#include <chrono>

#include "serve/json.h"
#include "serve/stoppable_store.h"

namespace crossbind::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostReports = 8;  // at a time
// A store that is written to all the time must not keep a processor busy: a report is followed by a
// rest of so many times what it took, and never less than the second number.
constexpr int kRestFactor = 4;
constexpr auto kLeastRest = std::chrono::milliseconds(500);

std::string page_json(const report::Document& document,
                      const std::string& figures,
                      uint64_t version) {
  Json json = {{"version", version},
               {"title", document.title},
               {"subtitle", document.subtitle},
               {"verdict", document.summary},
               {"tiles", Json::array()},
               {"html", summary_html(document) + links_html(document) + sections_html(document)}};
  for (const auto& tile : document.tiles) {
    json["tiles"].push_back({{"number", tile.number}, {"what", tile.what}});
  }
  std::string text = text_of(json);
  text.pop_back();
  return text + ",\"figures\":" + figures + "}";
}

}  // namespace

Result<MadeReport> make_report(const store::StoreReader& store,
                               const std::optional<store::StudyId>& study,
                               const std::vector<claims::NamedList>& claims,
                               uint64_t version) {
  MadeReport made;
  made.version = version;
  CB_ASSIGN(made.report, report::gather(store, study, claims));
  const auto document = report::document_of(made.report);
  made.figures = report::figures_json(document);
  made.page = page_json(document, made.figures, version);
  made.tables = report::to_csv(document);
  return made;
}

ReportReading Reports::find(const std::string& study) {
  const uint64_t version = live_.read()->version;
  {
    std::shared_lock lock(mutex_);
    const auto found = entries_.find(study);
    if (found != entries_.end() && found->second.version > 0) {
      auto& entry = found->second;
      entry.is_wanted = true;
      if (entry.version < version) {
        look_again();
      }
      return {std::move(lock), entry.made.get(), entry.failure};
    }
  }
  add_wanted(study);
  {
    const std::lock_guard lock(waiting_);
    is_missed_ = true;
  }
  look_again();
  return {std::shared_lock(mutex_), nullptr, ""};
}

void Reports::add_wanted(const std::string& study) {
  const std::unique_lock lock(mutex_);
  if (entries_.size() >= kMostReports && !entries_.contains(study)) {
    const auto idle = std::ranges::find_if(entries_, [](const auto& entry) {
      return !entry.first.empty() && entry.second.version > 0;
    });
    if (idle == entries_.end()) {
      return;  // as many are waited for already; the client asks again
    }
    entries_.erase(idle);
  }
  entries_[study].is_wanted = true;
}

std::optional<std::string> Reports::most_wanted(uint64_t version) const {
  const std::shared_lock lock(mutex_);
  const auto missing =
      std::ranges::find_if(entries_, [](const auto& entry) { return entry.second.version == 0; });
  if (missing != entries_.end()) {
    return missing->first;
  }
  const auto old = std::ranges::find_if(entries_, [&](const auto& entry) {
    return entry.second.is_wanted && entry.second.version < version;
  });
  return old == entries_.end() ? std::nullopt : std::optional(old->first);
}

std::optional<Reports::Made> Reports::make_next() {
  const uint64_t version = live_.read()->version;
  const auto study = most_wanted(version);
  if (!study) {
    return std::nullopt;
  }
  Made made{*study, version};
  keep(made, [&]() -> Result<MadeReport> {
    CB_ASSIGN(const auto store, live_.open());
    const auto id = study->empty() ? std::nullopt : std::optional(store::StudyId{*study});
    return make_report(StoppableStore(*store, is_stopped_), id, claims_, version);
  }());
  return made;
}

void Reports::keep(const Made& made, Result<MadeReport> report) {
  const std::unique_lock lock(mutex_);
  auto& entry = entries_[made.study];
  entry.version = made.version;
  entry.is_wanted = false;
  if (report) {
    entry.made = std::make_unique<MadeReport>(std::move(*report));
    entry.failure.clear();
  } else {
    entry.made.reset();
    entry.failure = report.error().to_string();
  }
}

void Reports::keep_making(const std::function<void(const Made&)>& on_made) {
  bool goes_on = true;
  while (goes_on) {
    const auto begin = Clock::now();
    const auto made = make_next();
    if (made) {
      const Clock::duration rest = kRestFactor * (Clock::now() - begin);
      on_made(*made);
      goes_on = wait(std::max<Clock::duration>(rest, kLeastRest));
    } else {
      goes_on = wait(std::nullopt);
    }
  }
}

bool Reports::wait(std::optional<Clock::duration> rest) {
  std::unique_lock lock(waiting_);
  if (rest) {
    news_.wait_for(lock, *rest, [&] { return is_missed_ || is_stopped_; });
  } else {
    news_.wait(lock, [&] { return has_news_ || is_stopped_; });
  }
  has_news_ = false;
  is_missed_ = false;
  return !is_stopped_;
}

void Reports::look_again() {
  const std::lock_guard lock(waiting_);
  has_news_ = true;
  news_.notify_all();
}

void Reports::stop() {
  const std::lock_guard lock(waiting_);
  is_stopped_ = true;
  news_.notify_all();
}

}  // namespace crossbind::serve
