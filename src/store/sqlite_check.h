// Looks for what can be wrong in the SQLite file of a store.
#pragma once

#include <string>
#include <vector>

namespace SQLite {  // NOLINT(readability-identifier-naming)
class Database;
}  // namespace SQLite

namespace crossbind::store {

[[nodiscard]] std::vector<std::string> problems_of(const SQLite::Database& database);

}  // namespace crossbind::store
