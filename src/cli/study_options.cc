#include "cli/study_options.h"

#include <CLI/CLI.hpp>

namespace crossbind::cli {

void add_study_options(CLI::App& command, PlanOptions& options) {
  command.add_option("study", options.study, "A ready study's id, or a file ending in .toml")
      ->required();
  command.add_option("--store", options.store, "Where results are kept")->capture_default_str();
  command.add_option(
      "--only", options.only, "KEY=PATTERN: only these; keys: binding, model, seed, trial, ...");
  command.add_flag("--retry-failed", options.retry_failed, "Failed trials are to run again");
}

}  // namespace crossbind::cli
