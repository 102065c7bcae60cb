#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <system_error>

#include "analysis/analysis.h"
#include "claims/analysis_cells.h"
#include "claims/cell_file.h"
#include "claims/claim_reader.h"
#include "cli/claims_report.h"
#include "cli/commands.h"
#include "cli/resources.h"
#include "store/sqlite_store.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct ClaimsOptions {
  std::string file;
  std::string store;
  std::string printed;
  bool json = false;
};

Result<std::vector<std::filesystem::path>> ready_claims() {
  const auto folder = resource_folder("claims");
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".toml") {
      files.push_back(entry->path());
    }
  }
  if (files.empty()) {
    return fail(ErrorKind::kNotFound, "there are no claims files in {}", folder.string());
  }
  std::ranges::sort(files);
  return files;
}

Result<std::vector<std::filesystem::path>> chosen_claims(const ClaimsOptions& options) {
  if (options.file.empty()) {
    return ready_claims();
  }
  if (options.file.ends_with(".toml")) {
    return std::vector<std::filesystem::path>{options.file};
  }
  CB_ASSIGN(const auto ready, ready_claims());
  const auto found =
      std::ranges::find(ready, options.file, [](const auto& path) { return path.stem().string(); });
  if (found == ready.end()) {
    std::vector<std::string> names;
    for (const auto& path : ready) {
      names.push_back(path.stem().string());
    }
    return tl::unexpected(Error{
        ErrorKind::kNotFound,
        fmt::format("there is no ready claims file '{}'", options.file),
        {},
        fmt::format("Ready are {}; a file of your own ends in .toml.", fmt::join(names, ", "))});
  }
  return std::vector<std::filesystem::path>{*found};
}

// Each study's tables have a folder of their own; a folder of one study's will do as well.
Result<claims::Cells> printed_cells(const std::filesystem::path& folder, const std::string& name) {
  std::error_code ignored;
  const bool has_own = std::filesystem::is_directory(folder / name, ignored);
  return claims::read_cell_folder(has_own ? folder / name : folder);
}

Result<claims::Cells> store_cells(const std::string& path) {
  CB_ASSIGN(const auto store, store::SqliteStore::open(path, store::Access::kReadOnly));
  CB_ASSIGN(const auto analysis, analysis::analyze(store));
  return claims::cells_of(analysis);
}

Result<int> judge_claims(const ClaimsOptions& options) {
  CB_ASSIGN(const auto files, chosen_claims(options));
  std::vector<ClaimsResult> results;
  claims::Cells cells;
  if (!options.store.empty()) {
    CB_ASSIGN(cells, store_cells(options.store));
  }
  for (const auto& file : files) {
    auto& result = results.emplace_back(ClaimsResult{file.stem().string(), {}, {}});
    CB_ASSIGN(result.list, claims::read_claims_file(file));
    if (options.store.empty()) {
      CB_ASSIGN(cells, printed_cells(options.printed, result.name));
    }
    for (const auto& claim : result.list.claims) {
      CB_ASSIGN(auto judged, claims::judge(claim, cells));
      result.judged.push_back(std::move(judged));
    }
  }
  std::fputs((options.json ? claims_json(results) : claims_table(results)).c_str(), stdout);
  return kSuccess;
}

}  // namespace

void add_claims_command(CLI::App& app, Invocation& invocation) {
  // CLI11 keeps references to where options go; the closures keep it alive.
  const auto options = std::make_shared<ClaimsOptions>();
  CLI::App* command =
      app.add_subcommand("claims", "Hold published claims against what was measured or printed");
  command->add_option(
      "FILE", options->file, "A ready claims file's name, or one ending in .toml; else all ready");
  CLI::App* source = command->add_option_group("Source", "Where the figures are");
  source->add_option("--store", options->store, "A store's file");
  source->add_option("--printed", options->printed, "A folder of tables (.csv)");
  source->require_option(1);
  command->add_flag("--json", options->json, "Print JSON, with every cell that was asked about");
  command->footer(
      "Examples: crossbind claims --store crossbind.db\n"
      "          crossbind claims bindings-2024 --printed claims/printed\n"
      "          crossbind claims my-claims.toml --printed my-tables --json\n"
      "A claim is confirmed, refuted, partly measured or not measured. For claims NAME.toml the\n"
      "tables are those in the folder's NAME, where it has one.\n"
      "Exit codes: 0 judged, whatever the verdicts, 1 a file cannot be read, 2 wrong usage.");
  command->callback(
      [options, &invocation] { invocation.action = [options] { return judge_claims(*options); }; });
}

}  // namespace crossbind::cli
