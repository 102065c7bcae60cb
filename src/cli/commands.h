// The subcommands. Each is one file; each adds its options to the program and, when chosen, says
// what is to be done. main() then does it.
#pragma once

#include <functional>

#include "base/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace crossbind::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kWrongUsage = 2;

struct Invocation {
  std::function<Result<int>()> action;  // returns the exit code
};

void add_analyze_command(CLI::App& app, Invocation& invocation);
void add_claims_command(CLI::App& app, Invocation& invocation);
void add_compare_command(CLI::App& app, Invocation& invocation);
void add_dataset_command(CLI::App& app, Invocation& invocation);
void add_doctor_command(CLI::App& app, Invocation& invocation);
void add_import_command(CLI::App& app, Invocation& invocation);
void add_models_command(CLI::App& app, Invocation& invocation);
void add_plan_command(CLI::App& app, Invocation& invocation);
void add_referee_command(CLI::App& app, Invocation& invocation);
void add_run_command(CLI::App& app, Invocation& invocation);
void add_setup_command(CLI::App& app, Invocation& invocation);
void add_store_command(CLI::App& app, Invocation& invocation);
void add_tensors_command(CLI::App& app, Invocation& invocation);
void add_weights_command(CLI::App& app, Invocation& invocation);
void add_worker_command(CLI::App& app, Invocation& invocation);

// All of them.
void add_commands(CLI::App& app, Invocation& invocation);

}  // namespace crossbind::cli
