#include "app/store_choice.h"

#include <fmt/format.h>

#include <system_error>

namespace crossbind::app {

Result<std::optional<store::StudyId>> study_named(const std::string& name,
                                                  const store::StoreReader& store) {
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

}  // namespace crossbind::app
