#include "model/model.h"

#include <algorithm>
#include <functional>
#include <system_error>

#include "base/text.h"

namespace crossbind::model {
namespace {

int64_t size_of(const Parameter& parameter) {
  int64_t size = 1;  // load_model() has checked that it fits
  for (const int64_t dimension : parameter.shape) {
    size *= dimension;
  }
  return size;
}

}  // namespace

int64_t Model::parameter_count() const {
  int64_t count = 0;
  for (const auto& parameter : parameters) {
    count += size_of(parameter);
  }
  return count;
}

int64_t Model::trainable_count() const {
  int64_t count = 0;
  for (const auto& parameter : parameters) {
    count += is_trainable(parameter.role) ? size_of(parameter) : 0;
  }
  return count;
}

const Node* Model::find(std::string_view name) const {
  const auto found = std::ranges::find(nodes, name, &Node::name);
  return found == nodes.end() ? nullptr : &*found;
}

Result<std::vector<std::filesystem::path>> list_models(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  std::filesystem::directory_iterator entries(folder, code);
  for (; !code && entries != std::filesystem::directory_iterator(); entries.increment(code)) {
    if (entries->path().extension() == ".toml") {
      files.push_back(entries->path());
    }
  }
  if (code) {
    return tl::unexpected(
        Error{ErrorKind::kNotFound,
              "cannot list the ready models: " + code.message(),
              folder.string(),
              "Set CROSSBIND_HOME to the folder of crossbind that holds 'models'."});
  }
  std::ranges::sort(files, {}, [](const auto& path) { return path.stem().string(); });
  return files;
}

Result<Model> find_model(const std::string& name,
                         const std::filesystem::path& folder,
                         Geometry geometry) {
  if (name.ends_with(".toml")) {
    return load_model(name, geometry);
  }
  CB_ASSIGN(const auto files, list_models(folder));
  std::vector<std::string> ids;
  for (const auto& file : files) {
    if (file.stem() == name) {
      return load_model(file, geometry);
    }
    ids.push_back(file.stem().string());
  }
  const std::string candidate = nearest(name, ids);
  return tl::unexpected(
      Error{ErrorKind::kNotFound,
            fmt::format("there is no model '{}'", name),
            {},
            candidate.empty() ? "'crossbind models' lists them; a file of your own ends in .toml."
                              : fmt::format("Did you mean '{}'?", candidate)});
}

}  // namespace crossbind::model
