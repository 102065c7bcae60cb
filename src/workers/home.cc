#include "workers/home.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "workers/build_digest.h"
#include "workers/file_lock.h"

namespace crossbind::workers {
namespace {

constexpr size_t kDigits = 12;
constexpr const char* kStamp = ".crossbind-ready";

Home make_home(std::string name, std::string digest, const std::filesystem::path& folder) {
  auto path = folder / (name + "-" + digest.substr(0, kDigits));
  return {std::move(name), std::move(digest), std::move(path)};
}

// Every home of the same thing made from other sources, also one of which only lock or log is left.
std::set<std::filesystem::path> others(const Home& home) {
  const std::string prefix = home.name + "-";
  std::set<std::filesystem::path> found;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(home.path.parent_path(), code), end;
       !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || name.size() < prefix.size() + kDigits) {
      continue;
    }
    const std::string digits = name.substr(prefix.size(), kDigits);
    const std::string rest = name.substr(prefix.size() + kDigits);
    const bool is_digest = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (is_digest && (rest.empty() || rest == ".lock" || rest == ".log") &&
        !home.digest.starts_with(digits)) {
      found.insert(home.path.parent_path() / (prefix + digits));
    }
  }
  return found;
}

}  // namespace

std::filesystem::path shared_folder(const std::string& name, const Places& places) {
  return places.workers / "shared" / name;
}

Home worker_home(const Manifest& manifest, const std::string& build, const Places& places) {
  return make_home(manifest.folder_name(), build, places.cache / "workers");
}

Result<Home> shared_home(const std::string& name, const Places& places) {
  CB_ASSIGN(std::string digest, folder_digest(shared_folder(name, places)));
  return make_home(name, std::move(digest), places.cache / "shared");
}

bool is_stamped(const Home& home) {
  const auto content = read_file(home.path / kStamp);
  return content && *content == home.digest + "\n";
}

Status stamp(const Home& home) {
  return write_file(home.path / kStamp, home.digest + "\n");
}

bool is_outdated(const Home& home) {
  return std::ranges::any_of(others(home), [](const auto& path) {
    std::error_code ignored;
    return std::filesystem::exists(path / kStamp, ignored);
  });
}

std::vector<std::filesystem::path> remove_outdated(const Home& home) {
  std::vector<std::filesystem::path> removed;
  for (const auto& path : others(home)) {
    const Home other{home.name, {}, path};
    const auto lock = FileLock::try_acquire(other.lock(), FileLock::Mode::kExclusive);
    if (!lock || !lock->has_value()) {
      continue;
    }
    // The stamp goes first: what is half removed must not pass for complete.
    std::error_code code;
    std::filesystem::remove(path / kStamp, code);
    const auto count = std::filesystem::remove_all(path, code);
    if (!code) {
      std::filesystem::remove(other.log(), code);
      std::filesystem::remove(other.lock(), code);
      if (count > 0) {
        removed.push_back(path);
      }
    }
  }
  return removed;
}

}  // namespace crossbind::workers
