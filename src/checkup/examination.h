// The examination of one worker: plays every check and keeps between them what they share, which is
// the greeting, the exercise, and one worker that stays up for as long as it behaves.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "checkup/check.h"
#include "checkup/conversation.h"
#include "checkup/exercise.h"
#include "converse/launcher.h"
#include "trial/capabilities.h"

namespace crossbind::checkup {

// A worker of the candidate's framework that writes serialized models.
struct Serializer {
  std::string binding;
  process::Program command;
  trial::Capabilities able;
  trial::Format format = trial::Format::kTorchScript;  // that the candidate reads
};

// What is checked.
struct Candidate {
  process::Program command;
  std::string binding;                          // what it must call itself; empty: anything
  std::optional<trial::Capabilities> declared;  // by its manifest, where there is one
  std::optional<Serializer> serializer;         // for what only takes serialized models
  std::string device;                           // on which it is asked to work; empty: as is common
};

// What checking needs.
struct Facilities {
  converse::Launcher& launcher;
  std::filesystem::path models;        // the ready models
  std::filesystem::path scratch;       // an existing directory
  std::chrono::milliseconds patience;  // for any one answer
};

struct Finding {
  Check check;
  Mark mark = Mark::kOk;
  std::string detail;  // wrong: expected and came; skipped: why
  bool waits = false;  // skipped because of one that is wrong
};
using OnFinding = std::function<void(const Finding&)>;

class Examination {
 public:
  Examination(const Candidate& candidate, const Facilities& facilities)
      : candidate_(candidate),
        facilities_(facilities) {}

  [[nodiscard]] std::vector<Finding> play(const std::vector<Check>& checks,
                                          const OnFinding& on_finding);

  [[nodiscard]] const Candidate& candidate() const { return candidate_; }
  [[nodiscard]] const Facilities& facilities() const { return facilities_; }

  // A fresh program that has not been spoken to.
  [[nodiscard]] Result<Conversation> start(place::Reach reach = place::Reach::kUsual);
  // A fresh one that has been welcomed.
  [[nodiscard]] Result<Conversation> meet();

  // What the first greeting said; the greeting checks come before all that ask for it.
  struct Greeting {
    protocol::Hello hello;
    std::string token;  // that it should have given back
  };
  // What the hello leaves to the manifest is taken from there.
  void keep(Greeting greeting) {
    greeting_ = std::move(greeting);
    if (greeting_->hello.leaves_capabilities && candidate_.declared) {
      greeting_->hello.capabilities = *candidate_.declared;
    }
  }
  [[nodiscard]] const Greeting& greeting() const { return *greeting_; }
  [[nodiscard]] const trial::Capabilities& able() const { return greeting_->hello.capabilities; }
  // Skips unless the worker claims the task.
  [[nodiscard]] Status need(trial::Task task) const;
  [[nodiscard]] Status need_saving() const;
  // Skips when it takes serialized models only: those have no parameters that could be given.
  [[nodiscard]] Status need_parameters() const;
  [[nodiscard]] Status need_inference() const;

  [[nodiscard]] Result<const Exercise*> exercise();
  [[nodiscard]] Result<const Expectation*> expectation();

  // Has another worker write the exercise's model as a file.
  [[nodiscard]] Result<std::filesystem::path> serialized(const Exercise& exercise,
                                                         const Serializer& serializer);

  // The worker that is up; a new one when there is none or the last one broke off.
  [[nodiscard]] Result<Conversation*> worker();
  // It, with the exercise prepared.
  [[nodiscard]] Result<Conversation*> prepared(const protocol::Prepare& prepare);
  [[nodiscard]] Result<Conversation*> prepared();
  // Whether it still works after a request that had to fail.
  [[nodiscard]] Status is_alive();

 private:
  [[nodiscard]] Finding play(const Check& check);
  [[nodiscard]] Result<Exercise> make_exercise();
  [[nodiscard]] Result<Conversation> start(const std::string& binding,
                                           const process::Program& command,
                                           place::Reach reach);

  const Candidate& candidate_;
  const Facilities& facilities_;
  std::optional<Greeting> greeting_;
  std::optional<Exercise> exercise_;
  std::optional<Expectation> expectation_;
  std::unique_ptr<Conversation> worker_;
};

[[nodiscard]] std::vector<Finding> examine(const Candidate& candidate,
                                           const Facilities& facilities,
                                           const OnFinding& on_finding);

}  // namespace crossbind::checkup
