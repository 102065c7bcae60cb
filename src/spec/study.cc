#include "spec/study.h"

#include <algorithm>
#include <system_error>

#include "base/text.h"
#include "config/table_reader.h"

namespace crossbind::spec {

FindModel models_beside(const std::filesystem::path& study_file,
                        std::filesystem::path models_folder) {
  return [folder = study_file.parent_path(), models_folder = std::move(models_folder)](
             const std::string& name, model::Geometry geometry) {
    const bool is_file = name.ends_with(".toml");
    return model::find_model(is_file ? (folder / name).string() : name, models_folder, geometry);
  };
}

Result<std::filesystem::path> find_study(const std::string& name,
                                         const std::filesystem::path& folder) {
  if (name.ends_with(".toml")) {
    return name;
  }
  std::vector<std::string> ids;
  std::error_code code;
  std::filesystem::directory_iterator entries(folder, code);
  for (; !code && entries != std::filesystem::directory_iterator(); entries.increment(code)) {
    if (entries->path().extension() == ".toml") {
      ids.push_back(entries->path().stem().string());
    }
  }
  if (code) {
    return tl::unexpected(
        Error{ErrorKind::kNotFound,
              "cannot list the ready studies: " + code.message(),
              folder.string(),
              "Set CROSSBIND_HOME to the folder of crossbind that holds 'studies'."});
  }
  if (std::ranges::find(ids, name) != ids.end()) {
    return folder / (name + ".toml");
  }
  std::ranges::sort(ids);
  const std::string candidate = nearest(name, ids);
  return tl::unexpected(Error{
      ErrorKind::kNotFound,
      fmt::format("there is no study '{}'", name),
      {},
      candidate.empty()
          ? fmt::format("There are: {}; a file of your own ends in .toml.", fmt::join(ids, ", "))
          : fmt::format("Did you mean '{}'?", candidate)});
}

}  // namespace crossbind::spec
