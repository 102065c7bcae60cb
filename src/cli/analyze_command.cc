
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>

#include "analysis/tables.h"
#include "base/file.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/store_choice.h"
#include "store/sqlite_store.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct AnalyzeOptions {
  std::string store = store::kDefaultStore;
  std::string study;
  std::string format = "md";
  std::string directory;
};

// What becomes a file, or a part of standard output.
struct Page {
  std::string name;
  std::string text;
};

std::vector<Page> pages_of(const analysis::Analysis& found, const std::string& format) {
  auto tables = analysis::finding_tables(found);
  if (format == "json") {
    return {{"analysis.json", analysis::to_json(tables)}};
  }
  std::ranges::move(analysis::paper_tables(found), std::back_inserter(tables));
  std::vector<Page> pages;
  pages.reserve(tables.size());
  for (const auto& table : tables) {
    if (format == "csv") {
      pages.push_back({table.name + ".csv", to_csv(table)});
    } else if (format == "latex") {
      pages.push_back({table.name + ".tex", to_latex(table)});
    } else {
      pages.push_back({table.name + ".md", to_markdown(table)});
    }
  }
  return pages;
}

void print(const std::vector<Page>& pages, const std::string& format) {
  for (const auto& page : pages) {
    if (format == "csv") {
      fmt::print("# {}\n", page.name);
    }
    fmt::print("{}{}", page.text, &page == &pages.back() ? "" : "\n");
  }
}

Status write(const std::vector<Page>& pages, const std::filesystem::path& directory) {
  CB_TRY(make_folder(directory));
  for (const auto& page : pages) {
    CB_TRY(write_file(directory / page.name, page.text));
  }
  return {};
}

Result<int> analyze(const AnalyzeOptions& options) {
  CB_ASSIGN(const auto store, open_for_reading(options.store));
  CB_ASSIGN(const auto study, study_named(options.study, store));
  CB_ASSIGN(const auto found, analysis::analyze(store, study));
  const auto pages = pages_of(found, options.format);
  if (options.directory.empty()) {
    print(pages, options.format);
  } else {
    CB_TRY(write(pages, options.directory));
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
