#include <cstdio>
#include <memory>

#include "base/file.h"
#include "cli/claims_files.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/figure_files.h"
#include "cli/store_choice.h"
#include "report/badge.h"
#include "report/conformance.h"
#include "report/render.h"

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

Result<report::Report> gather_report(const ReportOptions& options) {
  CB_ASSIGN(const auto store, open_for_reading(options.store));
  CB_ASSIGN(const auto study, study_named(options.study, store));
  CB_ASSIGN(const auto claims,
            options.claims.empty() ? read_ready_claims() : read_claims(options.claims));
  CB_ASSIGN(auto report, report::gather(store, study, claims));
  if (!options.conform.empty()) {
    CB_ASSIGN(const auto json, read_file(options.conform));
    CB_TRY(report::add_conformance(json, options.conform, report));
  }
  return report;
}

Status write_document(const report::Document& document,
                      const std::string& figures,
                      const std::filesystem::path& folder) {
  if (!figures.empty()) {
    CB_TRY(write_figures(document, folder, figures));
  }
  CB_TRY(write_file(folder / "index.html", to_html(document, report::built_in_assets())));
  CB_TRY(write_file(folder / "report.md", to_markdown(document, figures)));
  CB_TRY(write_file(folder / "report.tex", to_latex(document, figures)));
  for (const auto& file : to_csv(document)) {
    CB_TRY(write_file(folder / file.name, file.text));
  }
  return {};
}

Status write_badge(const report::Report& report,
                   const std::string& binding,
                   const std::filesystem::path& folder) {
  CB_ASSIGN(const auto badge, report::badge_of(report, binding));
  const std::string name = report::badge_name(binding);
  CB_TRY(write_file(folder / (name + ".md"), badge.markdown));
  return write_file(folder / (name + ".svg"), badge.svg);
}

Result<int> write_report(const ReportOptions& options) {
  CB_ASSIGN(const auto report, gather_report(options));
  const auto document = report::document_of(report);
  const std::filesystem::path folder = options.directory;
  CB_TRY(make_folder(folder));
  CB_TRY(write_document(document, options.figures, folder));
  for (const auto& binding : options.badges) {
    CB_TRY(write_badge(report, binding, folder));
  }
  for (const auto& sentence : document.verdict) {
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
