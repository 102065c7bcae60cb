#include "place/host.h"

#include <fmt/ranges.h>

#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <gnu/libc-version.h>
#include <set>

namespace crossbind::place {
namespace {

// The value of the first line "KEY SEPARATOR VALUE" of a file.
std::string lookup(const char* path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t at = line.find(separator);
    if (at == std::string::npos || !line.starts_with(key)) {
      continue;
    }
    std::string value = line.substr(at + 1);
    std::erase(value, '"');
    const size_t begin = value.find_first_not_of(" \t");
    return begin == std::string::npos ? "unknown" : value.substr(begin);
  }
  return "unknown";
}

// The models of NVIDIA's GPUs, as their driver says; empty when there are none.
std::string gpus() {
  std::set<std::string> models;
  std::error_code code;
  for (std::filesystem::directory_iterator entry("/proc/driver/nvidia/gpus", code), end;
       !code && entry != end;
       entry.increment(code)) {
    models.insert(lookup((entry->path() / "information").c_str(), "Model", ':'));
  }
  return fmt::format("{}", fmt::join(models, ", "));
}

}  // namespace

Texts describe_this_machine() {
  Texts host;
  utsname names{};
  if (::uname(&names) == 0) {
    host["kernel"] = fmt::format("{} {}", names.sysname, names.release);
    host["architecture"] = names.machine;
  }
  struct sysinfo info {};
  if (::sysinfo(&info) == 0) {
    host["memory_bytes"] = std::to_string(info.totalram * info.mem_unit);
  }
  host["cpu"] = lookup("/proc/cpuinfo", "model name", ':');
  host["cpus"] = std::to_string(::sysconf(_SC_NPROCESSORS_ONLN));
  if (const std::string found = gpus(); !found.empty()) {
    host["gpu"] = found;
  }
  host["system"] = lookup("/etc/os-release", "PRETTY_NAME", '=');
  host["glibc"] = ::gnu_get_libc_version();
  return host;
}

}  // namespace crossbind::place
