// The options that `plan` and `run` share.
#pragma once

#include "cli/study_facts.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace crossbind::cli {

// `options` must outlive the command.
void add_study_options(CLI::App& command, PlanOptions& options);

}  // namespace crossbind::cli
