#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "analysis/analysis.h"
#include "analysis/names.h"
#include "app/stores.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "store/open.h"

namespace crossbind::cli {
namespace {

using analysis::FoundContradiction;
using published::ImportReport;

// What the command line says; lives as long as the closures that read it.
struct ImportOptions {
  std::string directory;
  std::string store = store::kDefaultStore;
  bool json = false;
};

std::string report_json(const ImportReport& report,
                        const std::vector<FoundContradiction>& contradictions) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& found : contradictions) {
    list.push_back({{"framework", found.scope.framework},
                    {"model", found.scope.model},
                    {"binding", found.binding},
                    {"device", found.device},
                    {"mode", analysis::where_of(found.task)},
                    {"seed", found.seed},
                    {"kind", found.kind},
                    {"claim", found.claim},
                    {"value", found.value},
                    {"expected", found.expected}});
  }
  return json_text(nlohmann::ordered_json{{"files", report.files},
                                          {"trainings", report.trainings},
                                          {"inferences", report.inferences},
                                          {"unsupported", report.unsupported},
                                          {"added", report.added},
                                          {"already_there", report.already_there},
                                          {"unreadable", report.unreadable},
                                          {"unknown", report.unknown},
                                          {"passed_over", report.passed_over},
                                          {"different", report.different},
                                          {"contradictions", list}});
}

std::string list_text(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) {
    return {};
  }
  std::string text = fmt::format("{}:\n", title);
  for (const auto& line : lines) {
    text += fmt::format("  {}\n", line);
  }
  return text;
}

std::string contradictions_text(const std::vector<FoundContradiction>& contradictions) {
  if (contradictions.empty()) {
    return {};
  }
  TextTable table({{"FRAMEWORK"},
                   {"MODEL"},
                   {"BINDING"},
                   {"DEVICE"},
                   {"WHERE"},
                   {"SEED"},
                   {"KIND"},
                   {"CLAIM"},
                   {"VALUE", Align::kRight},
                   {"EXPECTED", Align::kRight}});
  for (const auto& found : contradictions) {
    table.add({found.scope.framework,
               found.scope.model,
               found.binding,
               found.device,
               std::string(analysis::where_of(found.task)),
               found.seed == 0 ? "" : std::to_string(found.seed),
               found.kind,
               found.claim,
               fmt::format("{:.6g}", found.value),
               fmt::format("{:.6g}", found.expected)});
  }
  return "Contradictions between what files claim and their numbers:\n" + table.to_string();
}

std::string report_text(const ImportReport& report,
                        const std::vector<FoundContradiction>& contradictions) {
  std::string text = list_text("Not read, and nothing of them imported", report.unreadable);
  text += list_text("Not known, and passed over", report.unknown);
  text += list_text("Passed over for another file of the same measurement", report.passed_over);
  text += list_text("Already there with other numbers, which were kept", report.different);
  text += contradictions_text(contradictions);
  text += fmt::format("{} {} read, {} not read, {} unknown: {} {}, {} {}, {} unsupported\n",
                      report.files,
                      plural(report.files, "file", "files"),
                      report.unreadable.size(),
                      report.unknown.size(),
                      report.trainings,
                      plural(report.trainings, "training", "trainings"),
                      report.inferences,
                      plural(report.inferences, "inference", "inferences"),
                      report.unsupported);
  text += fmt::format("{} {} added, {} already there; {} {}\n",
                      report.added,
                      plural(report.added, "trial", "trials"),
                      report.already_there,
                      contradictions.size(),
                      plural(contradictions.size(), "contradiction", "contradictions"));
  return text;
}

Result<int> import_published(const ImportOptions& options) {
  CB_ASSIGN(const auto imported, app::import_published(options.directory, options.store));
  const auto& [report, contradictions] = imported;
  std::fputs(
      (options.json ? report_json(report, contradictions) : report_text(report, contradictions))
          .c_str(),
      stdout);
  return report.unreadable.empty() ? kSuccess : kFailure;
}

}  // namespace

void add_import_command(Command& program) {
  const auto options = std::make_shared<ImportOptions>();
  Command import = program.subcommand("import", "Add measurements made elsewhere to a store");
  import.needs_subcommand();
  import.footer(
      "Example: crossbind import published downloads/published --store published.db\n"
      "Exit codes: 0 imported, 1 failed or a file could not be read, 2 wrong usage.");
  Command command = import.subcommand(
      "published", "The bindings study's raw results: FRAMEWORK/MODEL/LANGUAGE/files");
  command.option("DIR", options->directory, "The folder 'published', or the one it is in")
      .required();
  command.option("--store", options->store, "The store's file; made if it is not there")
      .shows_default();
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Example: crossbind import published downloads/published --store published.db\n"
      "What cannot be read is named with file and line, and nothing of that file is imported; the\n"
      "rest is. What files claim is computed again; contradictions are listed. A second import\n"
      "adds nothing.\n"
      "Exit codes: 0 imported, 1 failed or a file could not be read, 2 wrong usage.");
  command.runs([options] { return import_published(*options); });
}

}  // namespace crossbind::cli
