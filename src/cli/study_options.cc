#include "cli/study_options.h"

namespace crossbind::cli {

void add_study_options(Command& command, app::PlanOptions& options) {
  command.option("study", options.study, "A ready study's id, or a file ending in .toml")
      .required();
  command.option("--store", options.store, "Where results are kept").shows_default();
  command.option(
      "--only", options.only, "KEY=PATTERN: only these; keys: binding, model, seed, trial, ...");
  command.flag("--retry-failed", options.retry_failed, "Failed trials are to run again");
}

}  // namespace crossbind::cli
