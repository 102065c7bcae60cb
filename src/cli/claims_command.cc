
#include <cstdio>
#include <memory>

#include "app/claims_files.h"
#include "app/judged_claims.h"
#include "app/resources.h"
#include "cli/claims_report.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "store/open.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct ClaimsOptions {
  std::string file;
  std::string store;
  std::string printed;
  bool json = false;
};

Result<int> judge_claims(const ClaimsOptions& options) {
  const auto machine = app::this_machine();
  CB_ASSIGN(auto lists,
            options.file.empty() ? app::read_ready_claims(machine.claims)
                                 : app::read_claims({options.file}, machine.claims));
  std::vector<claims::JudgedList> judged;
  if (options.store.empty()) {
    CB_ASSIGN(judged, app::judge_by_tables(std::move(lists), options.printed));
  } else {
    CB_ASSIGN(const auto store, store::open_for_reading(options.store));
    CB_ASSIGN(judged, app::judge_by_store(std::move(lists), *store));
  }
  std::fputs((options.json ? claims_json(judged) : claims_table(judged)).c_str(), stdout);
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
