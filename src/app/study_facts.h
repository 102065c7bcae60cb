// A study with everything that planning and running it need to know of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/resources.h"
#include "base/error.h"
#include "base/progress.h"
#include "plan/facts.h"
#include "spec/study.h"
#include "store/open.h"
#include "workers/binding.h"

namespace crossbind::app {

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
[[nodiscard]] Result<StudyOnMachine> look_up_study(const PlanOptions& options,
                                                   MissingData missing,
                                                   const Machine& machine,
                                                   Progress& progress);
// Looks up the facts of a study that is in no file: `found` has all but them, and gets them.
[[nodiscard]] Status look_up_facts(const PlanOptions& options,
                                   MissingData missing,
                                   const Machine& machine,
                                   Progress& progress,
                                   StudyOnMachine& found);

// Adds how the trials in a store ended, and whose trained parameters are still in the cache.
[[nodiscard]] Status add_past(const store::StoreReader& store,
                              const std::filesystem::path& cache,
                              plan::Facts& facts);

}  // namespace crossbind::app
