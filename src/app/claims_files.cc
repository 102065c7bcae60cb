#include "app/claims_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "claims/claim_reader.h"

namespace crossbind::app {
namespace {

using Paths = std::vector<std::filesystem::path>;

Result<Paths> ready_claims(const std::filesystem::path& folder) {
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

Result<std::filesystem::path> path_of(const std::string& name,
                                      const std::filesystem::path& folder) {
  if (name.ends_with(".toml")) {
    return name;
  }
  CB_ASSIGN(const auto ready, ready_claims(folder));
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

Result<std::vector<claims::NamedList>> read_ready_claims(const std::filesystem::path& folder) {
  CB_ASSIGN(const auto paths, ready_claims(folder));
  return read_files(paths);
}

Result<std::vector<claims::NamedList>> read_claims(const std::vector<std::string>& names,
                                                   const std::filesystem::path& folder) {
  Paths paths;
  paths.reserve(names.size());
  for (const auto& name : names) {
    CB_ASSIGN(auto path, path_of(name, folder));
    paths.push_back(std::move(path));
  }
  return read_files(paths);
}

}  // namespace crossbind::app
