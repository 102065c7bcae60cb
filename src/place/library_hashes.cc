#include "place/library_hashes.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/digest.h"

namespace crossbind::place {
namespace {

// The files that are mapped as code and are called like a library.
std::set<std::string> libraries_of(pid_t pid) {
  std::set<std::string> paths;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    const bool is_code = line.find(" r-xp ") != std::string::npos;
    if (is_code && path != std::string::npos && line.find(".so", path) != std::string::npos) {
      paths.insert(line.substr(path));
    }
  }
  return paths;
}

}  // namespace

std::string LibraryHashes::hash_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return "unreadable";
  }
  const std::string key = fmt::format(
      "{} {} {}.{}", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(key);
  if (found != known_.end()) {
    return found->second;
  }
  const auto hash = sha256_file(path);
  return known_.emplace(key, hash.value_or("unreadable")).first->second;
}

Texts LibraryHashes::of_process(pid_t pid) {
  Texts hashes;
  for (const std::string& path : libraries_of(pid)) {
    hashes.emplace("library " + std::filesystem::path(path).filename().string(), hash_of(path));
  }
  return hashes;
}

}  // namespace crossbind::place
