#include "process/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "process/file_descriptor.h"

namespace crossbind::process {

std::string read_proc(pid_t pid, const std::string& name) {
  std::string text;
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while (file.is_open() && (count = ::read(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  return text;
}

bool can_list_children() {
  return ::access("/proc/thread-self/children", R_OK) == 0;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  // A child belongs to the thread that forked it.
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(tasks.c_str()), ::closedir);
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    const std::string list = read_proc(pid, std::string("task/") + entry->d_name + "/children");
    const char* position = list.c_str();
    char* end = nullptr;
    for (long child = 0; (child = std::strtol(position, &end, 10)) > 0; position = end) {
      children.push_back(static_cast<pid_t>(child));
    }
  }
  return children;
}

std::vector<pid_t> descendants_of(pid_t pid) {
  std::vector<pid_t> found = children_of(pid);
  for (size_t i = 0; i < found.size(); ++i) {
    const auto below = children_of(found[i]);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

uint64_t resident_bytes(pid_t pid) {
  const std::string sizes = read_proc(pid, "statm");
  const size_t second = sizes.find(' ');
  if (second == std::string::npos) {
    return 0;
  }
  return std::strtoull(sizes.c_str() + second, nullptr, 10) *
         static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace crossbind::process
