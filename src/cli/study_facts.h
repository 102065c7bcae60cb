// A study with everything that planning and running it need to know of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/facts.h"
#include "spec/study.h"
#include "store/result_store.h"
#include "store/sqlite_store.h"
#include "workers/binding.h"

namespace crossbind::cli {

struct StudyOnMachine {
  spec::Study study;
  std::string text;  // the file
  std::vector<workers::Binding> bindings;
  plan::Facts facts;  // nothing of the past yet
};

// What `plan` and `run` are both told.
struct PlanOptions {
  std::string study;
  std::string store = store::kDefaultStore;
  std::vector<std::string> only;
  bool retry_failed = false;
};

enum class MissingData {
  kLeave,     // looks only
  kGenerate,  // makes the generated data sets that are not there yet; nothing is downloaded
};
[[nodiscard]] Result<StudyOnMachine> look_up_study(const PlanOptions& options, MissingData missing);
// The same for a study that is in no file: `found` has all but the facts.
[[nodiscard]] Result<StudyOnMachine> look_up_study(StudyOnMachine found,
                                                   const PlanOptions& options,
                                                   MissingData missing);

// Adds how the trials in a store ended, and whose trained parameters are still there.
[[nodiscard]] Status add_past(const store::ResultStore& store, plan::Facts& facts);

}  // namespace crossbind::cli
