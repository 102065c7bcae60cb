#include "workers/setup.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <deque>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>

#include "process/guarded.h"
#include "process/waiting.h"
#include "workers/build_digest.h"
#include "workers/file_lock.h"
#include "workers/installation.h"
#include "workers/program_lookup.h"

namespace crossbind::workers {
namespace {

constexpr size_t kShownLines = 12;
constexpr std::chrono::milliseconds kWatchInterval{100};

// One setup command and where it installs.
struct Job {
  std::string what;  // in messages
  Home home;
  std::vector<std::string> arguments;
  std::filesystem::path folder;
  std::vector<std::string> environment;
  std::filesystem::path leaves;                 // a program that must be there then; may be empty
  std::function<Result<std::string>()> digest;  // of the sources as they are now
};

std::string last_lines(const std::string& text, size_t count) {
  std::deque<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(std::move(line));
    if (lines.size() > count) {
      lines.pop_front();
    }
  }
  std::string result;
  for (const auto& line : lines) {
    result += "\n    " + line;
  }
  return result;
}

// The last line that says something; progress bars overwrite theirs with '\r'.
std::string last_line(std::string_view text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) {
    return "";
  }
  const size_t begin = text.find_last_of("\r\n", end) + 1;  // npos + 1 is 0
  return std::string(text.substr(begin, end + 1 - begin));
}

tl::unexpected<Error> failure(const Job& job, const std::string& how, const std::string& output) {
  return tl::unexpected(
      Error{ErrorKind::kUnavailable,
            fmt::format("the setup of {} {}{}", job.what, how, last_lines(output, kShownLines)),
            job.home.log().string(),
            fmt::format("Once that is mended, the same command continues; to begin anew, remove {}",
                        job.home.path.string())});
}

// What a setup prints: into its log, and the last of it at hand. Written by one thread, read by
// another.
class SetupLog {
 public:
  explicit SetupLog(const std::filesystem::path& path)
      : file_(path, std::ios::binary | std::ios::trunc) {}

  void append(std::string_view piece) {
    const std::scoped_lock lock(mutex_);
    file_ << piece << std::flush;
    recent_ = recent_.substr(recent_.size() - std::min(recent_.size(), kRecent));
    recent_ += piece;
  }
  [[nodiscard]] std::string recent() {
    const std::scoped_lock lock(mutex_);
    return recent_;
  }
  [[nodiscard]] bool is_good() {
    const std::scoped_lock lock(mutex_);
    return file_.good();
  }

 private:
  static constexpr size_t kRecent = 4096;

  std::mutex mutex_;
  std::ofstream file_;
  std::string recent_;
};

// Under a guard: whatever becomes of us, nothing of a half-made setup goes on running.
Status run_command(const Job& job, const Places& places, SetupWatch& watch) {
  std::error_code code;
  std::filesystem::create_directories(job.home.path, code);
  SetupLog log(job.home.log());
  if (code || !log.is_good()) {
    return fail(ErrorKind::kIo, "cannot write {}", job.home.log().string());
  }
  process::GuardedCommand command;
  command.program = {job.arguments, job.folder, job.environment};
  command.on_output = [&](std::string_view piece) { log.append(piece); };
  watch.begins(job.what, job.home.log());
  auto process = process::GuardedProcess::start(places.guard, command);
  if (!process) {
    watch.ends();
    return failure(job, "cannot begin: " + process.error().to_string(), "");
  }
  while (!process->has_ended()) {
    const process::Deadline deadline(kWatchInterval);
    static_cast<void>(process::wait_for(process->end_descriptor(), POLLIN, deadline, {}));
    watch.goes_on(last_line(log.recent()));
  }
  const process::End& end = process->wait();
  watch.ends();
  if (end.ending != process::Ending::kExited) {
    return failure(job, end.describe(), log.recent());
  }
  if (end.code != 0) {
    return failure(job, fmt::format("failed with exit code {}", end.code), log.recent());
  }
  return log.is_good() ? Status{}
                       : fail(ErrorKind::kIo, "cannot write {}", job.home.log().string());
}

bool is_complete(const Job& job) {
  return is_stamped(job.home) && (job.leaves.empty() || is_program(job.leaves));
}

Status make_home(const Job& job, const Places& places, SetupWatch& watch) {
  CB_TRY(run_command(job, places, watch));
  if (!job.leaves.empty() && !is_program(job.leaves)) {
    return failure(job, fmt::format("ended well but left no program {}", job.leaves.string()), "");
  }
  CB_ASSIGN(const std::string digest, job.digest());
  if (digest != job.home.digest) {
    return failure(
        job, "is void: its sources changed meanwhile; it may write to its home only", "");
  }
  return stamp(job.home);
}

// True when the home was complete before, or when another process has made it meanwhile.
Result<bool> ensure_home(const Job& job, const Places& places, SetupWatch& watch) {
  if (is_complete(job)) {
    return true;
  }
  std::error_code code;
  std::filesystem::create_directories(job.home.path.parent_path(), code);
  CB_ASSIGN(auto lock, FileLock::try_acquire(job.home.lock(), FileLock::Mode::kExclusive));
  if (!lock) {
    watch.waits(job.what);
    CB_ASSIGN(lock, FileLock::acquire(job.home.lock(), FileLock::Mode::kExclusive));
  }
  if (is_complete(job)) {
    return true;
  }
  CB_TRY(make_home(job, places, watch));
  return false;
}

std::string variable_of(const std::string& share) {
  std::string name = "CROSSBIND_SHARED_";
  for (const char c : share) {
    const auto letter = static_cast<unsigned char>(c);
    name += std::isalnum(letter) != 0 ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return name;
}

Job shared_job(const Home& home, const Installation& installation, const Places& places) {
  const auto folder = shared_folder(home.name, places);
  const bool leaves_program = installation.program.starts_with(home.path.string() + "/");
  return {.what = "shared environment " + home.name,
          .home = home,
          .arguments = {"./setup"},
          .folder = folder,
          .environment = {fmt::format("{}={}", variable_of(home.name), home.path.string()),
                          fmt::format("CROSSBIND_CACHE={}", places.cache.string())},
          .leaves = leaves_program ? installation.program : "",
          .digest = [folder] { return folder_digest(folder); }};
}

Result<Job> own_job(const Binding& binding,
                    const Installation& installation,
                    const Places& places) {
  const Manifest& manifest = *binding.manifest;
  const Home& home = *installation.own;
  const bool leaves_program = installation.program.starts_with(home.path.string() + "/");
  Job job = {.what = binding.name,
             .home = home,
             .arguments = {},
             .folder = manifest.folder,
             .environment = {fmt::format("CROSSBIND_WORKER_HOME={}", home.path.string()),
                             fmt::format("CROSSBIND_WORKER_FOLDER={}", manifest.folder.string()),
                             fmt::format("CROSSBIND_CACHE={}", places.cache.string())},
             .leaves = leaves_program ? installation.program : "",
             .digest = [&] { return build_digest(manifest, places); }};
  for (const auto& text : manifest.setup) {
    CB_ASSIGN(std::string argument, expand(text, installation.placeholders));
    job.arguments.push_back(std::move(argument));
  }
  for (const Home& shared : installation.shared) {
    job.environment.push_back(fmt::format("{}={}", variable_of(shared.name), shared.path.string()));
  }
  return job;
}

Status check_possible(const Binding& binding) {
  if (binding.state == State::kReady || binding.state == State::kNotSetUp ||
      binding.state == State::kOutdated) {
    return {};
  }
  return tl::unexpected(
      Error{ErrorKind::kUnavailable,
            fmt::format("{} cannot be set up: {}", binding.name, binding.reason),
            {},
            binding.command.empty() ? "" : fmt::format("Run: {}", binding.command)});
}

}  // namespace

Result<SetupReport> set_up(const Binding& binding, const Places& places, SetupWatch& watch) {
  CB_TRY(check_possible(binding));
  CB_ASSIGN(const Installation installation,
            installation_of(*binding.manifest, binding.build, places));
  SetupReport report{.was_ready = true};
  for (const Home& home : installation.shared) {
    CB_ASSIGN(const bool was_ready,
              ensure_home(shared_job(home, installation, places), places, watch));
    report.was_ready = report.was_ready && was_ready;
  }
  if (installation.own) {
    CB_ASSIGN(const Job job, own_job(binding, installation, places));
    CB_ASSIGN(const bool was_ready, ensure_home(job, places, watch));
    report.was_ready = report.was_ready && was_ready;
  }
  for (const Home& home : installation.homes()) {
    const auto removed = remove_outdated(home);
    report.removed.insert(report.removed.end(), removed.begin(), removed.end());
  }
  return report;
}

}  // namespace crossbind::workers
