// A folder of published files into a store: what can be read of it, and what cannot by name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "store/result_store.h"

namespace crossbind::published {

struct ImportReport {
  size_t files = 0;                      // that were read
  std::vector<std::string> unreadable;   // "file, line: what is wrong"; nothing of it was taken
  std::vector<std::string> unknown;      // files and folders that mean nothing here
  std::vector<std::string> passed_over;  // another file of the same measurement was taken
  size_t trainings = 0;                  // that the files make up
  size_t inferences = 0;
  size_t unsupported = 0;
  size_t added = 0;  // of these, trials that were not in the store
  size_t already_there = 0;
  std::vector<std::string> different;  // already there, with other numbers: those are kept
};

// What a folder has, before any of it is in a store.
struct Publication {
  ImportReport report;
  std::vector<store::TrialRecord> trials;
};

// `directory` is the folder of the frameworks, or has it as "published".
[[nodiscard]] Result<Publication> read_published(const std::filesystem::path& directory);

// Adds all trials in one transaction.
[[nodiscard]] Result<ImportReport> add_published(Publication publication,
                                                 store::ResultStore& store);

// Reads, and adds what was read.
[[nodiscard]] Result<ImportReport> import_published(const std::filesystem::path& directory,
                                                    store::ResultStore& store);

}  // namespace crossbind::published
