// The options that `plan` and `run` share.
#pragma once

#include "app/study_facts.h"
#include "cli/command_line.h"

namespace crossbind::cli {

// `options` must outlive the command.
void add_study_options(Command& command, app::PlanOptions& options);

}  // namespace crossbind::cli
