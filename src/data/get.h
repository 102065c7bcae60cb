// Makes a data set: acquires the source, converts it, and puts the result into the cache as a whole
// or not at all.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "data/acquire.h"
#include "data/dataset.h"

namespace crossbind::data {

struct GetRequest {
  DatasetInfo info;
  std::string from;                  // see acquire(); empty: the usual source
  std::filesystem::path vocabulary;  // for questions; empty: the source's own
  bool force = false;                // convert again even when the cache is good
};

// What `get` works with.
struct Workshop {
  std::filesystem::path cache;
  Runner run;
  Progress& progress;
  int threads = 1;
};

enum class Outcome { kAlreadyThere, kMade, kRebuilt };

struct GetReport {
  Outcome outcome = Outcome::kMade;
  std::string corruption;  // what was wrong with the one that was rebuilt
  std::filesystem::path path;
  uint64_t size = 0;
  std::string sha256;
};

[[nodiscard]] Result<GetReport> get_dataset(const GetRequest& request, const Workshop& workshop);

}  // namespace crossbind::data
