// What commands that read a store share: one study of it, and a folder for what they write.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "store/store_reader.h"

namespace crossbind::app {

// By name or by the beginning of its id; none for an empty name.
[[nodiscard]] Result<std::optional<store::StudyId>> study_named(const std::string& name,
                                                                const store::StoreReader& store);

// With those above it.
[[nodiscard]] Status make_folder(const std::filesystem::path& folder);

}  // namespace crossbind::app
