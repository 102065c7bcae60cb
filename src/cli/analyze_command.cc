
#include <cstdio>
#include <memory>

#include "app/analysis_pages.h"
#include "app/store_choice.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "store/open.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct AnalyzeOptions {
  std::string store = store::kDefaultStore;
  std::string study;
  std::string format = "md";
  std::string directory;
};

void print(const std::vector<app::Page>& pages, app::PageFormat format) {
  for (const auto& page : pages) {
    if (format == app::PageFormat::kCsv) {
      fmt::print("# {}\n", page.name);
    }
    fmt::print("{}{}", page.text, &page == &pages.back() ? "" : "\n");
  }
}

Result<int> analyze(const AnalyzeOptions& options) {
  CB_ASSIGN(const auto store, store::open_for_reading(options.store));
  CB_ASSIGN(const auto study, app::study_named(options.study, *store));
  CB_ASSIGN(const auto found, analysis::analyze(*store, study));
  const auto format = value_in(app::kPageFormats, options.format).value();
  const auto pages = app::pages_of(found, format);
  if (options.directory.empty()) {
    print(pages, format);
  } else {
    CB_TRY(app::write_pages(pages, options.directory));
  }
  return kSuccess;
}

}  // namespace

void add_analyze_command(Command& program) {
  const auto options = std::make_shared<AnalyzeOptions>();
  Command command = program.subcommand("analyze", "Compare the bindings in a store of results");
  command.option("--store", options->store, "The store's file").shows_default();
  command.option("--study", options->study, "Only the trials of this study, by name or id");
  command.option("--format", options->format, "How it is written")
      .one_of({"json", "md", "csv", "latex"})
      .shows_default();
  command.option("-o,--output",
                 options->directory,
                 "A folder for a file a table; all goes to standard output without it");
  command.footer(
      "Example: crossbind analyze --store published.db --format json\n"
      "         crossbind analyze --store published.db --format latex -o tables\n"
      "JSON has the findings; the other formats have the bindings paper's tables and figures too.\n"
      "docs/analysis.md says how each figure is computed. The same store gives the same bytes.\n"
      "Exit codes: 0 analyzed, 1 the store cannot be read, 2 wrong usage.");
  command.runs([options] { return analyze(*options); });
}

}  // namespace crossbind::cli
