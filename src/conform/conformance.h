// Examines bindings on models: every binding in one worker that serves all models, a few bindings
// at a time. Says what each comes to; how that looks is the caller's.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "checkup/examination.h"
#include "conform/case.h"
#include "conform/finding.h"
#include "conform/known.h"
#include "converse/launcher.h"
#include "model/model.h"
#include "process/stop_signal.h"

namespace crossbind::conform {

struct Participant {
  std::string name;  // "pytorch/rust"
  checkup::Candidate candidate;
  std::vector<KnownDivergence> known;  // that are expected of it
  std::string build;                   // a digest of what it is made from; may be empty
};

// What is asked of every binding.
struct Questions {
  std::vector<model::Model> models;
  std::vector<uint32_t> seeds;
  int64_t steps = 5;
  bool is_full = false;           // at real size, where known divergences need not show
  std::optional<size_t> against;  // the participant whose states the others start from
  std::optional<std::filesystem::path> repros;  // where the smallest repros go, if they are wanted
};

struct Surroundings {
  converse::Launcher& launcher;
  const process::StopSignal& stop;
  std::filesystem::path scratch;  // an existing directory
  int lanes = 1;                  // bindings at a time
};

struct Conformance {
  std::vector<Verdict> verdicts;  // by binding, then by model, as asked
  // What each binding is made of, as its greeting says, by the binding's name.
  std::map<std::string, protocol::Texts> versions;
  // Added up over the lanes.
  std::chrono::duration<double> bindings{0};   // starting and answering
  std::chrono::duration<double> crossbind{0};  // making the courses and judging
};

// Called as they come, from several threads, one at a time.
using OnVerdict = std::function<void(const Verdict&)>;

// An interruption leaves out what has not been examined. Errors are those of this machine.
[[nodiscard]] Result<Conformance> examine(const std::vector<Participant>& participants,
                                          const Questions& questions,
                                          const Surroundings& surroundings,
                                          const OnVerdict& on_verdict);

// The same for one step that was kept.
[[nodiscard]] Conformance replay_all(const std::vector<Participant>& participants,
                                     const Case& subject,
                                     const Surroundings& surroundings,
                                     const OnVerdict& on_verdict);

}  // namespace crossbind::conform
