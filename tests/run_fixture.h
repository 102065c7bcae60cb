// What tests of 'crossbind run' share: a home, a cache and a store in a scratch directory, the
// program running in the background, and which processes of it are left.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "process/command.h"
#include "store/record.h"
#include "testing/testing.h"

namespace crossbind {

// Generous: the machine may be busy with anything.
[[nodiscard]] bool comes_true(const std::function<bool()>& condition);

// The program while it runs. Should a test fail, it does not outlive the test.
class RunningProgram {
 public:
  // Output goes to the files NAME.out and NAME.err in the directory.
  RunningProgram(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment,
                 const std::filesystem::path& directory,
                 const std::string& name);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();

  void signal(int number) const;
  [[nodiscard]] bool has_ended();
  int wait();  // the exit code; 128 + the signal that ended it

  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string error() const;
  [[nodiscard]] size_t trials_ended() const;  // as it has said so far

 private:
  bool take(int options);

  std::filesystem::path files_;
  pid_t pid_ = -1;
  int exit_code_ = -1;
};

class RunTest : public testing::ScratchTest {
 protected:
  RunTest();  // reference/cpp is the only worker

  // toy/MODE: crossbind-misbehave-worker.
  void add_misbehaving_worker(const std::string& mode) const;

  // tiny.toml with these bindings and this many seeds: a training of 200 samples and an inference
  // for each. `keys` go to [run].
  void write_study(const std::string& bindings, int seeds, const std::string& keys = "") const;
  void write(const std::string& path, const std::string& text) const;

  [[nodiscard]] process::Outcome crossbind(std::vector<std::string> arguments) const;
  // crossbind run tiny.toml OPTION...
  [[nodiscard]] process::Outcome run(const std::vector<std::string>& options = {}) const;
  [[nodiscard]] std::unique_ptr<RunningProgram> start(const std::string& name = "run",
                                                      const std::vector<std::string>& options = {},
                                                      const std::string& cache = "cache") const;

  [[nodiscard]] std::vector<store::TrialRecord> stored(
      const std::string& store = "crossbind.db") const;
  [[nodiscard]] std::vector<std::string> outcomes() const;  // "toy/crash train 1: failed: ..."
  void expect_sound_store(const std::string& store = "crossbind.db") const;

  // Guards, workers and what they started, of any program that this test has run.
  [[nodiscard]] std::vector<pid_t> processes() const;
  void expect_no_process_is_left() const;
  // Those that crossbind-misbehave-worker has written down, in the order they began.
  [[nodiscard]] std::vector<pid_t> misbehaving() const;

 private:
  [[nodiscard]] std::vector<std::string> environment(const std::string& cache) const;
};

}  // namespace crossbind
