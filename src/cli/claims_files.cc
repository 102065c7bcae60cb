#include "cli/claims_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "claims/claim_reader.h"
#include "cli/resources.h"

namespace crossbind::cli {
namespace {

using Paths = std::vector<std::filesystem::path>;

Result<Paths> ready_claims() {
  const auto folder = resource_folder("claims");
  Paths files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".toml") {
      files.push_back(entry->path());
    }
  }
  if (files.empty()) {
    return fail(ErrorKind::kNotFound, "there are no claims files in {}", folder.string());
  }
  std::ranges::sort(files);
  return files;
}

Result<std::filesystem::path> path_of(const std::string& name) {
  if (name.ends_with(".toml")) {
    return name;
  }
  CB_ASSIGN(const auto ready, ready_claims());
  const auto found =
      std::ranges::find(ready, name, [](const auto& path) { return path.stem().string(); });
  if (found == ready.end()) {
    std::vector<std::string> names;
    names.reserve(ready.size());
    for (const auto& path : ready) {
      names.push_back(path.stem().string());
    }
    return tl::unexpected(Error{
        ErrorKind::kNotFound,
        fmt::format("there is no ready claims file '{}'", name),
        {},
        fmt::format("Ready are {}; a file of your own ends in .toml.", fmt::join(names, ", "))});
  }
  return *found;
}

Result<std::vector<claims::NamedList>> read_files(const Paths& paths) {
  std::vector<claims::NamedList> lists;
  lists.reserve(paths.size());
  for (const auto& path : paths) {
    CB_ASSIGN(auto list, claims::read_claims_file(path));
    lists.push_back({path.stem().string(), std::move(list)});
  }
  return lists;
}

}  // namespace

Result<std::vector<claims::NamedList>> read_ready_claims() {
  CB_ASSIGN(const auto paths, ready_claims());
  return read_files(paths);
}

Result<std::vector<claims::NamedList>> read_claims(const std::vector<std::string>& names) {
  Paths paths;
  paths.reserve(names.size());
  for (const auto& name : names) {
    CB_ASSIGN(auto path, path_of(name));
    paths.push_back(std::move(path));
  }
  return read_files(paths);
}

}  // namespace crossbind::cli
