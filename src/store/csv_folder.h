// A store as a folder of CSV files: for keeping it where text is kept, and for programs that read
// no SQLite. docs/store.md describes the files. What workers printed is not in them.
#pragma once

#include <filesystem>

#include "store/memory_store.h"

namespace crossbind::store {

// Makes the folder if it is not there; files of the same names are replaced. Returns how many
// trials were written.
[[nodiscard]] Result<size_t> write_csv_folder(const StoreReader& store,
                                              const std::filesystem::path& folder);

// Errors name file, line and column.
[[nodiscard]] Result<MemoryStore> read_csv_folder(const std::filesystem::path& folder);

}  // namespace crossbind::store
