#include "serve/live_store.h"

namespace crossbind::serve {

Status LiveStore::refresh() {
  CB_ASSIGN(const auto store, open_());
  CB_ASSIGN(auto next, take_snapshot(*store, snapshot_.version + 1));
  if (counts_planned_) {
    add_planned(next);
  }
  const std::unique_lock lock(mutex_);
  snapshot_ = std::move(next);
  return {};
}

void LiveStore::count_planned() {
  counts_planned_ = static_cast<bool>(count_planned_);
  if (counts_planned_) {
    Snapshot next = snapshot_;
    add_planned(next);
    const std::unique_lock lock(mutex_);
    snapshot_ = std::move(next);
  }
}

void LiveStore::add_planned(Snapshot& snapshot) {
  for (auto& view : snapshot.studies) {
    auto known = planned_.find(view.study.id.sha256);
    if (known == planned_.end()) {
      known = planned_.emplace(view.study.id.sha256, count_planned_(view.study.record)).first;
    }
    // Where the machine has changed since, what is planned today says nothing.
    const bool is_likely = known->second && *known->second >= view.trials.size();
    view.planned = is_likely ? known->second : std::nullopt;
  }
}

}  // namespace crossbind::serve
