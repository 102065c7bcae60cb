// Processes that recorded themselves in a file, so that a test can tell whether they are gone. A
// pid alone may have been given to another process since; the time it started tells them apart.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace crossbind::process {

struct ProcessRecord {
  pid_t pid = 0;
  std::string start_time;
};

struct ProcessStat {
  char state = 'X';
  std::string start_time;
};

// From /proc; the state X when there is no such process.
inline ProcessStat stat_of(pid_t pid) {
  constexpr int kStartTimeField = 22;
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return {};
  }
  ProcessStat stat;
  stat.state = text[name_end + 2];
  size_t begin = name_end + 2;
  for (int field = 3; field < kStartTimeField; ++field) {
    begin = text.find(' ', begin) + 1;
  }
  stat.start_time = text.substr(begin, text.find(' ', begin) - begin);
  return stat;
}

inline void record_self(const std::string& path) {
  const std::string line = std::to_string(::getpid()) + " " + stat_of(::getpid()).start_time + "\n";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  [[maybe_unused]] const ssize_t written = ::write(fd, line.data(), line.size());
  ::close(fd);
}

inline std::vector<ProcessRecord> records_in(const std::string& path) {
  std::vector<ProcessRecord> records;
  std::ifstream file(path);
  for (ProcessRecord record; file >> record.pid >> record.start_time;) {
    records.push_back(record);
  }
  return records;
}

inline bool is_alive(const ProcessRecord& record) {
  const ProcessStat stat = stat_of(record.pid);
  return stat.state != 'X' && stat.state != 'Z' && stat.start_time == record.start_time;
}

}  // namespace crossbind::process
