// Published claims held against figures: those of a store, or those of printed tables.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "claims/judged_list.h"
#include "store/store_reader.h"

namespace crossbind::app {

[[nodiscard]] Result<std::vector<claims::JudgedList>> judge_by_store(
    std::vector<claims::NamedList> lists, const store::StoreReader& store);

// Each study's tables have a folder of their own in `folder`, by the list's name; a folder of one
// study's will do as well.
[[nodiscard]] Result<std::vector<claims::JudgedList>> judge_by_tables(
    std::vector<claims::NamedList> lists, const std::filesystem::path& folder);

}  // namespace crossbind::app
