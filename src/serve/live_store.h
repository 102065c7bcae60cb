// A store that others write to while it is shown: the latest snapshot of it, and the store itself,
// opened anew by whoever reads more, so that threads share no connection.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

#include "serve/snapshot.h"

namespace crossbind::serve {

using OpenStore = std::function<Result<std::unique_ptr<store::StoreReader>>()>;

// The snapshot as long as this lives; nothing replaces it meanwhile.
class Reading {
 public:
  Reading(std::shared_mutex& mutex, const Snapshot& snapshot) : lock_(mutex), snapshot_(snapshot) {}

  [[nodiscard]] const Snapshot& operator*() const { return snapshot_; }
  [[nodiscard]] const Snapshot* operator->() const { return &snapshot_; }

 private:
  std::shared_lock<std::shared_mutex> lock_;
  const Snapshot& snapshot_;
};

class LiveStore {
 public:
  // Versions are larger than `version`, so that those of two runs of a server are not the same.
  explicit LiveStore(OpenStore open, CountPlanned count_planned = {}, uint64_t version = 0)
      : open_(std::move(open)),
        count_planned_(std::move(count_planned)) {
    snapshot_.version = version;
  }

  // Takes the next snapshot. By one thread.
  [[nodiscard]] Status refresh();
  // Counts what the studies will have, which may take a while: once, then each refresh does it for
  // those that are new. By the thread that refreshes.
  void count_planned();

  [[nodiscard]] Reading read() const { return {mutex_, snapshot_}; }
  [[nodiscard]] Result<std::unique_ptr<store::StoreReader>> open() const { return open_(); }

 private:
  void add_planned(Snapshot& snapshot);

  OpenStore open_;
  CountPlanned count_planned_;
  bool counts_planned_ = false;
  std::map<std::string, std::optional<size_t>> planned_;  // by study
  mutable std::shared_mutex mutex_;
  Snapshot snapshot_;
};

}  // namespace crossbind::serve
