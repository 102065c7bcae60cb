// The options that `plan` and `run` share.
#pragma once

#include "cli/command_line.h"
#include "cli/study_facts.h"

namespace crossbind::cli {

// `options` must outlive the command.
void add_study_options(Command& command, PlanOptions& options);

}  // namespace crossbind::cli
