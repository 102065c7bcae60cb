// Opens the SQLite file of a store: creates it, or refuses what is not one.
#pragma once

#include <filesystem>
#include <memory>

#include "store/sqlite_store.h"

namespace crossbind::store {

[[nodiscard]] Result<std::unique_ptr<SQLite::Database>> open_database(
    const std::filesystem::path& path, Access access);

}  // namespace crossbind::store
