// What `crossbind conform` is asked, made into what src/conform examines: which workers take part,
// on which models, and where they start from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ready_bindings.h"
#include "app/resources.h"
#include "app/workplace.h"
#include "base/error.h"
#include "conform/conformance.h"
#include "workers/binding.h"
#include "workers/file_lock.h"

namespace crossbind::app {

struct ConformRequest {
  std::vector<std::string> bindings;  // names and globs
  std::vector<std::string> program;   // a command instead of them; neither: all that are ready
  std::vector<std::string> models;    // ids and files; none: all ready ones
  std::vector<uint32_t> seeds = {1};
  int64_t steps = 0;               // 0: as many as usual
  std::string against = kReferee;  // or a binding whose states the others start from
  std::string device;              // empty: the processor, where a worker has it
  bool full = false;               // at real size
  std::filesystem::path shrink;    // a folder for repros; empty: none
  std::filesystem::path replay;    // a repro; empty: none
};

struct ConformPlan {
  std::vector<conform::Participant> participants;
  conform::Questions questions;
  std::optional<conform::Case> kept;     // the one step that is replayed instead
  std::vector<workers::FileLock> locks;  // no setup removes participants meanwhile

  [[nodiscard]] size_t verdicts() const { return participants.size() * questions.models.size(); }
};

// Bindings that are named must be ready.
[[nodiscard]] Result<ConformPlan> plan_conformance(const ConformRequest& request,
                                                   const Machine& machine);

// Examines or replays, in several lanes where the machine has the processors.
[[nodiscard]] Result<conform::Conformance> examine(const ConformPlan& plan,
                                                   Workplace& workplace,
                                                   const process::StopSignal& stop,
                                                   const conform::OnVerdict& on_verdict);

// "1,2,3"
[[nodiscard]] Result<std::vector<uint32_t>> parse_seeds(const std::string& list);

}  // namespace crossbind::app
