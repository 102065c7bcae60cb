// Workers for tests that are no processes: what they answer to each request is written down by the
// test, and what was asked of them can be looked at afterwards.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "run/trial_job.h"
#include "run/worker.h"

namespace crossbind::run {

using Answers = std::vector<Result<Heard>>;  // in order; after the last one the worker is gone
using Answer = std::function<Answers(const protocol::Request&)>;

// Does everything that it is asked to: reports every epoch, writes parameters and outputs.
[[nodiscard]] Answer well_behaved();

// The same, but for what it answers to train or infer: that is changed.
[[nodiscard]] Answer changed(const std::function<void(Answers&)>& change);

// The events of one kind among answers, to be changed.
template <typename T>
[[nodiscard]] std::vector<T*> events_of(Answers& answers) {
  std::vector<T*> found;
  for (auto& answer : answers) {
    if (auto* event = answer ? std::get_if<protocol::Event>(&*answer) : nullptr) {
      if (auto* wanted = std::get_if<T>(event)) {
        found.push_back(wanted);
      }
    }
  }
  return found;
}

[[nodiscard]] protocol::Hello made_up_hello(const std::string& binding);
[[nodiscard]] process::Report made_up_report();  // exited with 0, a log, some usage

// Two epochs of lenet1 on 20 samples in batches of 8; the files of its data are not there.
[[nodiscard]] TrialJob made_up_job(const model::Model& model,
                                   trial::Task task,
                                   const std::filesystem::path& scratch);

struct Script {
  Result<Heard> greeting;
  Answer answer = well_behaved();
  process::Report report = made_up_report();
  store::Environment libraries = {{"library libtoy.so", "0a1b"}};
};

class FakeLauncher final : public WorkerLauncher {
 public:
  // What each launch gets; may be called by several threads.
  using ScriptOf = std::function<Result<Script>(const std::string& binding)>;

  FakeLauncher() : FakeLauncher(well_behaved()) {}
  explicit FakeLauncher(const Answer& answer);
  explicit FakeLauncher(ScriptOf script_of) : script_of_(std::move(script_of)) {}

  [[nodiscard]] Result<std::unique_ptr<Worker>> launch(const std::string& binding,
                                                       const WorkerCommand& command,
                                                       const Limits& limits) override;

  // What happened, of all workers: "launch toy/cpp", "prepare", "train", "cancel", "end now", ...
  [[nodiscard]] std::vector<std::string> log() const;
  [[nodiscard]] std::vector<WorkerCommand> commands() const;
  [[nodiscard]] std::vector<Limits> limits() const;
  // What each receive() was to wait for.
  struct Wait {
    std::chrono::milliseconds timeout;
    int wake_descriptor;
  };
  [[nodiscard]] std::vector<Wait> waits() const;

 private:
  friend class FakeWorker;

  void note(const std::string& what);

  ScriptOf script_of_;
  mutable std::mutex mutex_;
  std::vector<std::string> log_;
  std::vector<WorkerCommand> commands_;
  std::vector<Limits> limits_;
  std::vector<Wait> waits_;
};

}  // namespace crossbind::run
