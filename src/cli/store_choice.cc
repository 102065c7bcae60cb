#include "cli/store_choice.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace crossbind::cli {

Result<store::SqliteStore> open_for_reading(const std::filesystem::path& path) {
  return store::SqliteStore::open(path, store::Access::kReadOnly).map_error([&](Error&& error) {
    return error.kind == ErrorKind::kNotFound
               ? std::move(error).with_hint(
                     fmt::format("`crossbind run STUDY --store {}` makes it; one that is elsewhere "
                                 "is named by its path.",
                                 path.string()))
               : std::move(error);
  });
}

Result<std::optional<store::StudyId>> study_named(const std::string& name,
                                                  const store::ResultStore& store) {
  if (name.empty()) {
    return std::nullopt;
  }
  CB_ASSIGN(const auto studies, store.studies());
  std::optional<store::StudyId> found;
  for (const auto& study : studies) {
    if (study.record.name == name || study.id.sha256.starts_with(name)) {
      if (found) {
        return tl::unexpected(Error{ErrorKind::kInvalid,
                                    fmt::format("the store has several studies '{}'", name),
                                    {},
                                    "Give the beginning of an ID of `crossbind store list`."});
      }
      found = study.id;
    }
  }
  if (!found) {
    return tl::unexpected(Error{ErrorKind::kNotFound,
                                fmt::format("the store has no study '{}'", name),
                                {},
                                "`crossbind store list` shows its studies."});
  }
  return found;
}

Status make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(ErrorKind::kIo, "cannot make the folder {}: {}", folder.string(), error.message());
  }
  return {};
}

}  // namespace crossbind::cli
