
#include <cstdio>
#include <memory>
#include <system_error>

#include "analysis/analysis.h"
#include "claims/analysis_cells.h"
#include "claims/cell_file.h"
#include "cli/claims_files.h"
#include "cli/claims_report.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/store_choice.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct ClaimsOptions {
  std::string file;
  std::string store;
  std::string printed;
  bool json = false;
};

// Each study's tables have a folder of their own; a folder of one study's will do as well.
Result<claims::Cells> printed_cells(const std::filesystem::path& folder, const std::string& name) {
  std::error_code ignored;
  const bool has_own = std::filesystem::is_directory(folder / name, ignored);
  return claims::read_cell_folder(has_own ? folder / name : folder);
}

Result<claims::Cells> store_cells(const std::string& path) {
  CB_ASSIGN(const auto store, open_for_reading(path));
  CB_ASSIGN(const auto analysis, analysis::analyze(store));
  return claims::cells_of(analysis);
}

Result<int> judge_claims(const ClaimsOptions& options) {
  CB_ASSIGN(auto lists, options.file.empty() ? read_ready_claims() : read_claims({options.file}));
  std::vector<claims::JudgedList> results;
  claims::Cells cells;
  if (!options.store.empty()) {
    CB_ASSIGN(cells, store_cells(options.store));
  }
  for (auto& list : lists) {
    if (options.store.empty()) {
      CB_ASSIGN(cells, printed_cells(options.printed, list.name));
    }
    CB_ASSIGN(auto result, claims::judge_all(std::move(list), cells));
    results.push_back(std::move(result));
  }
  std::fputs((options.json ? claims_json(results) : claims_table(results)).c_str(), stdout);
  return kSuccess;
}

}  // namespace

void add_claims_command(Command& program) {
  const auto options = std::make_shared<ClaimsOptions>();
  Command command =
      program.subcommand("claims", "Hold published claims against what was measured or printed");
  command.option(
      "FILE", options->file, "A ready claims file's name, or one ending in .toml; else all ready");
  Command source = command.exactly_one_of("Source", "Where the figures are");
  source.option("--store", options->store, "A store's file");
  source.option("--printed", options->printed, "A folder of tables (.csv)");
  command.flag("--json", options->json, "Print JSON, with every cell that was asked about");
  command.footer(
      "Examples: crossbind claims --store crossbind.db\n"
      "          crossbind claims bindings-2024 --printed claims/printed\n"
      "          crossbind claims my-claims.toml --printed my-tables --json\n"
      "A claim is confirmed, refuted, partly measured or not measured. For claims NAME.toml the\n"
      "tables are those in the folder's NAME, where it has one.\n"
      "Exit codes: 0 judged, whatever the verdicts, 1 a file cannot be read, 2 wrong usage.");
  command.runs([options] { return judge_claims(*options); });
}

}  // namespace crossbind::cli
