// A study run from the command line: with progress on stderr, ended in order by Ctrl-C.
#pragma once

#include <string>

#include "app/study_run.h"
#include "base/error.h"

namespace crossbind::cli {

struct DisplayedRun {
  app::PlannedStudy planned;
  run::RunSummary summary;
  bool was_interrupted = false;
};

// `found` gets what the store knows.
[[nodiscard]] Result<DisplayedRun> run_with_display(app::StudyOnMachine& found,
                                                    const std::string& store,
                                                    const app::RunManner& manner,
                                                    const app::Machine& machine);

}  // namespace crossbind::cli
