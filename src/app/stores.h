// What is done with whole stores: listed, united, filled from files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"
#include "published/import.h"
#include "store/result_store.h"

namespace crossbind::app {

struct CountedStudy {
  store::StoredStudy study;
  int64_t done = 0;
  int64_t failed = 0;
  int64_t unsupported = 0;

  [[nodiscard]] int64_t trials() const { return done + failed + unsupported; }
};

// In the order they were added.
[[nodiscard]] Result<std::vector<CountedStudy>> count_studies(const store::StoreReader& store);

using OnMerged = std::function<void(const std::string& from, const store::MergeCounts&)>;

// Adds the stores of `from` to the one at `into`, in order, each as a whole or not at all. All are
// opened before anything is written: a misspelt name leaves no half of the work done.
[[nodiscard]] Status merge_stores(const std::string& into,
                                  const std::vector<std::string>& from,
                                  const OnMerged& on_merged);

// Adds what `store export` wrote. A folder that is none leaves no store behind.
[[nodiscard]] Result<store::MergeCounts> import_csv_folder(const std::filesystem::path& folder,
                                                           const std::string& into);

struct PublishedImport {
  published::ImportReport report;
  // Between what the files claim and their numbers, of all that the store has of the publication.
  std::vector<analysis::FoundContradiction> contradictions;
};
// Adds the bindings study's raw results. A folder that is none leaves no store behind.
[[nodiscard]] Result<PublishedImport> import_published(const std::filesystem::path& folder,
                                                       const std::string& into);

}  // namespace crossbind::app
