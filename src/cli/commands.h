// The subcommands. Each is one file, which declares its options and what is then to be done.
#pragma once

namespace crossbind::cli {

class Command;

void add_analyze_command(Command& program);
void add_check_command(Command& program);
void add_claims_command(Command& program);
void add_compare_command(Command& program);
void add_conform_command(Command& program);
void add_cross_command(Command& program);
void add_dataset_command(Command& program);
void add_doctor_command(Command& program);
void add_gate_command(Command& program);
void add_import_command(Command& program);
void add_models_command(Command& program);
void add_plan_command(Command& program);
void add_recommend_command(Command& program);
void add_referee_command(Command& program);
void add_report_command(Command& program);
void add_run_command(Command& program);
void add_serve_command(Command& program);
void add_setup_command(Command& program);
void add_store_command(Command& program);
void add_tensors_command(Command& program);
void add_weights_command(Command& program);
void add_worker_command(Command& program);

// All of them.
void add_commands(Command& program);

}  // namespace crossbind::cli
