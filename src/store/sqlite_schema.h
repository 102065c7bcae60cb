// The tables of the SQLite store, as numbered migrations, and whose file it is. Functions here let
// SQLite's exceptions out: SqliteStore catches them.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

namespace SQLite {  // NOLINT(readability-identifier-naming)
class Database;
}  // namespace SQLite

namespace crossbind::store {

inline constexpr int kApplicationId = 0x63726264;  // "crbd", in the header of every store

// Migration i makes version i + 1 out of version i. What has been released is never edited.
using Migrations = std::span<const std::string_view>;
[[nodiscard]] Migrations migrations();

// Refuses, before anything is written, a database that is not a store and a store of a later
// version than the migrations lead to.
[[nodiscard]] Status check_ownership(const SQLite::Database& database, Migrations known);

// The earliest version that has the tables of the last one; later ones differ in views alone, which
// are for people. So a store need not be converted to be read.
inline constexpr int kOldestReadable = 2;

// Brings a store, or an empty database, to the last version: each step in a transaction of its own,
// the views with the last one.
[[nodiscard]] Status migrate(SQLite::Database& database, Migrations known);

[[nodiscard]] int schema_version(const SQLite::Database& database);

}  // namespace crossbind::store
