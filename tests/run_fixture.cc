#include "run_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "process/environment.h"
#include "process/testdata/process_record.h"
#include "store/open.h"

namespace crossbind {
namespace {

constexpr unsigned kLifetimeSeconds = 300;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void redirect(const std::filesystem::path& path, int descriptor) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ::dup2(file, descriptor);
}

}  // namespace

bool comes_true(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < limit) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment,
                               const std::filesystem::path& directory,
                               const std::string& name)
    : files_(directory / name) {
  std::vector<std::string> texts = arguments;
  const auto pointers = process::pointers_to(texts);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(kLifetimeSeconds);
    for (const auto& entry : environment) {
      ::putenv(const_cast<char*>(entry.c_str()));
    }
    redirect(files_.string() + ".out", STDOUT_FILENO);
    redirect(files_.string() + ".err", STDERR_FILENO);
    if (::chdir(directory.c_str()) == 0) {
      ::execv(pointers[0], pointers.data());
    }
    ::_exit(127);
  }
}

RunningProgram::~RunningProgram() {
  if (!has_ended()) {
    signal(SIGKILL);
    wait();
  }
}

void RunningProgram::signal(int number) const {
  ::kill(pid_, number);
}

bool RunningProgram::has_ended() {
  return exit_code_ >= 0 || take(WNOHANG);
}

int RunningProgram::wait() {
  while (!has_ended() && !take(0)) {
  }
  return exit_code_;
}

bool RunningProgram::take(int options) {
  int status = 0;
  if (::waitpid(pid_, &status, options) != pid_) {
    return false;
  }
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

std::string RunningProgram::out() const {
  return content_of(files_.string() + ".out");
}

std::string RunningProgram::error() const {
  return content_of(files_.string() + ".err");
}

size_t RunningProgram::trials_ended() const {
  size_t count = 0;
  std::ifstream lines(files_.string() + ".err");
  for (std::string line; std::getline(lines, line);) {
    count += line.starts_with('[') && lines.good() ? 1 : 0;  // not half a line
  }
  return count;
}

RunTest::RunTest() {
  const auto source = testing::source_path();
  std::filesystem::create_directories(scratch("home/workers/reference-cpp"));
  std::filesystem::copy(source / "workers/reference-cpp/worker.toml",
                        scratch("home/workers/reference-cpp"));
  std::filesystem::create_directory_symlink(source / "models", scratch("home/models"));
  std::filesystem::create_directories(scratch("home/studies"));
}

void RunTest::add_misbehaving_worker(const std::string& mode) const {
  std::string manifest = read_file(scratch("home/workers/reference-cpp/worker.toml")).value();
  manifest.erase(0, manifest.find("[capabilities]"));
  write("home/workers/toy-" + mode + "/worker.toml",
        fmt::format("framework = \"toy\"\nlanguage = \"{0}\"\ntitle = \"Misbehaves\"\n"
                    "start = [\"{1}\", \"{0}\", \"{2}\"]\n"
                    "[environment]\nMISBEHAVE_BINDING = \"toy/{0}\"\n{3}",
                    mode,
                    testing::build_path("tests/crossbind-misbehave-worker").string(),
                    scratch("processes").string(),
                    manifest));
}

void RunTest::write_study(const std::string& bindings, int seeds, const std::string& keys) const {
  std::string list;
  for (int seed = 1; seed <= seeds; ++seed) {
    list += fmt::format("{}{}", seed == 1 ? "" : ", ", seed);
  }
  write("tiny.toml",
        fmt::format(R"(name = "tiny"
title = "Tiny"
bindings = [{}]
seeds = [{}]
tasks = ["train", "infer-parameters"]
[training]
epochs = 1
batch_size = 32
[inference]
weights = "reference/cpp"
[run]
{}
[[models]]
model = "lenet1"
dataset = "glyphs-200-50"
)",
                    bindings,
                    list,
                    keys));
}

void RunTest::write(const std::string& path, const std::string& text) const {
  EXPECT_THAT(write_file(scratch(path), text), testing::is_ok());
}

std::vector<std::string> RunTest::environment(const std::string& cache) const {
  return {"CROSSBIND_HOME=" + scratch("home").string(),
          "CROSSBIND_CACHE=" + scratch(cache).string()};
}

process::Outcome RunTest::crossbind(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), testing::build_path("crossbind"));
  return process::run({.arguments = std::move(arguments),
                       .directory = scratch(""),
                       .environment = environment("cache")})
      .value();
}

process::Outcome RunTest::run(const std::vector<std::string>& options) const {
  std::vector<std::string> arguments{"run", "tiny.toml"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return crossbind(std::move(arguments));
}

std::unique_ptr<RunningProgram> RunTest::start(const std::string& name,
                                               const std::vector<std::string>& options,
                                               const std::string& cache) const {
  std::vector<std::string> arguments{testing::build_path("crossbind"), "run", "tiny.toml"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return std::make_unique<RunningProgram>(arguments, environment(cache), scratch(""), name);
}

std::vector<store::TrialRecord> RunTest::stored(const std::string& store) const {
  std::vector<store::TrialRecord> trials;
  const auto opened = store::open_for_reading(scratch(store));
  EXPECT_THAT(opened, testing::is_ok());
  EXPECT_THAT((*opened)->for_each_trial({},
                                        [&](const store::TrialRecord& trial) -> Status {
                                          trials.push_back(trial);
                                          return {};
                                        }),
              testing::is_ok());
  return trials;
}

std::vector<std::string> RunTest::outcomes() const {
  std::vector<std::string> texts;
  for (const auto& trial : stored()) {
    texts.push_back(fmt::format("{} {} {}: {}{}",
                                trial.axes.binding,
                                trial.axes.task,
                                trial.axes.seed,
                                store::name_of(trial.outcome),
                                trial.reason.empty() ? "" : ": " + trial.reason));
  }
  std::ranges::sort(texts);
  return texts;
}

void RunTest::expect_sound_store(const std::string& store) const {
  const auto checked = crossbind({"store", "check", "--store", store});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.error;
}

std::vector<pid_t> RunTest::processes() const {
  const std::string mark = scratch("").string();
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos &&
        (content_of(entry.path() / "environ").find(mark) != std::string::npos ||
         content_of(entry.path() / "cmdline").find(mark) != std::string::npos)) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

void RunTest::expect_no_process_is_left() const {
  // Twice, because a process that is just being started has neither command nor environment.
  EXPECT_TRUE(comes_true([&] { return processes().empty() && processes().empty(); }))
      << fmt::format("left: {}", fmt::join(processes(), " "));
}

std::vector<pid_t> RunTest::misbehaving() const {
  std::vector<pid_t> pids;
  for (const auto& process : process::records_in(scratch("processes").string())) {
    pids.push_back(process.pid);
  }
  return pids;
}

}  // namespace crossbind
