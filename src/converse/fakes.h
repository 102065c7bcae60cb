// Workers for tests that are no processes: what they answer to each request is written down by the
// test, and what was asked of them can be looked at afterwards. They speak lines, as real ones do.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "converse/launcher.h"
#include "place/place.h"

namespace crossbind::converse {

using Answers = std::vector<Result<Heard>>;  // in order; after the last one the worker is gone
using Answer = std::function<Answers(const protocol::Request&)>;

// Does everything that it is asked to: reports every epoch, writes parameters and outputs.
[[nodiscard]] Answer well_behaved();

// Well behaved, but for what it answers to train or infer: that is changed.
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
[[nodiscard]] process::End made_up_end();  // exited with 0, a log, some usage

struct Script {
  Result<Heard> greeting;  // the hello gets the token that was given
  Answer answer = well_behaved();
  process::End end = made_up_end();
  Texts libraries = {{"library libtoy.so", "0a1b"}};
};

// A place whose programs are scripts: lines are decoded and answered by them.
class FakePlace : public place::Place {
 public:
  // What each start gets; may be called by several threads.
  using ScriptOf = std::function<Result<Script>(const std::string& binding)>;

  explicit FakePlace(ScriptOf script_of) : script_of_(std::move(script_of)) {}

  [[nodiscard]] Result<std::unique_ptr<place::RunningProgram>> start(
      const std::string& name,
      const process::Program& program,
      const place::Limits& limits,
      const place::Contact& contact) override;
  [[nodiscard]] Texts host() const override { return {{"cpu", "a slow one"}}; }

  // Another machine: programs see files in this folder alone, under the names that they have here.
  void keep_files_in(std::filesystem::path folder) { elsewhere_ = std::move(folder); }

  // What happened, of all workers: "launch toy/cpp", "prepare", "train", "cancel", "end now", ...
  [[nodiscard]] std::vector<std::string> log() const;
  [[nodiscard]] std::vector<process::Program> programs() const;
  [[nodiscard]] std::vector<place::Limits> limits() const;
  // What each wait for an answer was.
  struct Wait {
    std::chrono::milliseconds timeout;
    process::Interruption interruption;
  };
  [[nodiscard]] std::vector<Wait> waits() const;

 private:
  friend class FakeProgram;

  void note(const std::string& what);

  ScriptOf script_of_;
  std::filesystem::path elsewhere_;  // empty: files are shared
  mutable std::mutex mutex_;
  std::vector<std::string> log_;
  std::vector<process::Program> programs_;
  std::vector<place::Limits> limits_;
  std::vector<Wait> waits_;
};

// A launcher with such a place of its own.
class FakeLauncher final : public FakePlace, public Launcher {
 public:
  FakeLauncher() : FakeLauncher(well_behaved()) {}
  explicit FakeLauncher(const Answer& answer);
  explicit FakeLauncher(ScriptOf script_of)
      : FakePlace(std::move(script_of)),
        Launcher(static_cast<FakePlace&>(*this), Manners{.version = "1.2.3"}) {}
};

}  // namespace crossbind::converse
