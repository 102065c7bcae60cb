#include "cli/commands.h"

#include <array>

namespace crossbind::cli {

void add_commands(Command& program) {
  constexpr std::array kCommands = {
      add_analyze_command,   add_check_command,   add_claims_command,  add_compare_command,
      add_conform_command,   add_cross_command,   add_dataset_command, add_doctor_command,
      add_gate_command,      add_import_command,  add_models_command,  add_plan_command,
      add_recommend_command, add_referee_command, add_report_command,  add_run_command,
      add_serve_command,     add_setup_command,   add_store_command,   add_tensors_command,
      add_weights_command,   add_worker_command};
  for (const auto add : kCommands) {
    add(program);
  }
}

}  // namespace crossbind::cli
