#include <cstdio>
#include <memory>

#include "app/claims_files.h"
#include "app/report_files.h"
#include "app/resources.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "store/open.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct ReportOptions {
  std::string store = store::kDefaultStore;
  std::string study;
  std::string directory = "report";
  std::string figures;
  std::vector<std::string> claims;
  std::vector<std::string> badges;
  std::string conform;
};

Result<int> write_report(const ReportOptions& options) {
  CB_ASSIGN(const auto store, store::open_for_reading(options.store));
  const auto machine = app::this_machine();
  app::ReportSources sources{.study = options.study, .claims = {}, .conform = options.conform};
  CB_ASSIGN(sources.claims,
            options.claims.empty() ? app::read_ready_claims(machine.claims)
                                   : app::read_claims(options.claims, machine.claims));
  CB_ASSIGN(const auto report, app::gather_report(*store, sources));
  const auto document = report::document_of(report);
  const std::filesystem::path folder = options.directory;
  CB_TRY(app::write_report(document, options.figures, folder));
  for (const auto& binding : options.badges) {
    CB_TRY(app::write_badge(report, binding, folder));
  }
  for (const auto& sentence : document.summary) {
    std::fputs((sentence + "\n").c_str(), stdout);
  }
  std::printf("\n%s\n", (folder / "index.html").c_str());
  return kSuccess;
}

}  // namespace

void add_report_command(Command& program) {
  const auto options = std::make_shared<ReportOptions>();
  Command command =
      program.subcommand("report", "Write what a store says as a page, and as LaTeX and CSV");
  command.option("--store", options->store, "The store's file").shows_default();
  command.option("--study", options->study, "Only the trials of this study, by name or id");
  command.option("-o,--output", options->directory, "The folder to write to").shows_default();
  command
      .option("--figures",
              options->figures,
              "Also draw every figure to a file of its own in figures/; needs node")
      .one_of({"svg", "png"});
  command.option("--claims",
                 options->claims,
                 "Claims files, by a ready one's name or a path ending in .toml; else all ready "
                 "ones that ask about what the store has");
  command.option("--conform",
                 options->conform,
                 "What `crossbind conform --json` printed; its verdicts go into the matrix");
  command.option("--benchmark-table",
                 options->badges,
                 "Also write a table and a badge for the documentation of these bindings");
  command.footer(
      "Example: crossbind report --store crossbind.db -o report\n"
      "         crossbind report --store published.db -o paper --figures svg\n"
      "         crossbind report --benchmark-table pytorch/rust\n"
      "Writes index.html, which needs no network and nothing beside itself, report.md, report.tex\n"
      "and a CSV file a table. docs/report.md says what is in them. The same store gives the same\n"
      "bytes.\n"
      "Exit codes: 0 written, 1 the store cannot be read or a file not written, 2 wrong usage.");
  command.runs([options] { return write_report(*options); });
}

}  // namespace crossbind::cli
