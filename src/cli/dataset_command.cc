
#include <cstdio>
#include <memory>
#include <thread>

#include "app/dataset_request.h"
#include "base/cache.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/dataset_report.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct DatasetOptions {
  std::vector<std::string> names;
  app::DatasetRequest request;
  bool json = false;
};

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

std::vector<DatasetLine> inspect_all(const std::vector<data::DatasetInfo>& infos,
                                     const std::filesystem::path& cache,
                                     data::Depth depth) {
  std::vector<DatasetLine> lines;
  lines.reserve(infos.size());
  for (const auto& info : infos) {
    lines.push_back({info, data::inspect(info, cache, depth)});
  }
  return lines;
}

Result<int> list(const DatasetOptions& options) {
  const auto cache = cache_directory();
  const auto lines = inspect_all(data::datasets_of(cache), cache, data::Depth::kSizes);
  print(options.json ? datasets_json(lines, cache) : list_table(lines));
  return kSuccess;
}

Result<int> check(const DatasetOptions& options) {
  const auto cache = cache_directory();
  std::vector<data::DatasetInfo> infos;
  for (const auto& name : options.names) {
    CB_ASSIGN(auto info, data::find_dataset(name));
    infos.push_back(std::move(info));
  }
  if (infos.empty()) {
    infos = data::datasets_of(cache);
  }
  const auto lines = inspect_all(infos, cache, data::Depth::kChecksum);
  print(options.json ? datasets_json(lines, cache) : check_text(lines));
  const bool corrupt = std::ranges::any_of(
      lines, [](const auto& line) { return line.inspection.state == data::State::kCorrupt; });
  return corrupt ? kFailure : kSuccess;
}

Result<int> get(const DatasetOptions& options) {
  CB_ASSIGN(const auto request, app::get_request_of(options.request));
  TerminalProgress progress;
  const data::Workshop workshop{cache_directory(),
                                process::run,
                                progress,
                                static_cast<int>(std::thread::hardware_concurrency())};
  CB_ASSIGN(const auto report, data::get_dataset(request, workshop));
  if (report.outcome == data::Outcome::kRebuilt) {
    print(fmt::format("the cache was corrupt and has been rebuilt: {}\n", report.corruption));
  }
  print(fmt::format("{} {}: {} ({})\n",
                    request.info.id,
                    report.outcome == data::Outcome::kAlreadyThere
                        ? "is already there (--force converts again)"
                        : "is ready",
                    report.path.string(),
                    human_bytes(report.size)));
  return kSuccess;
}

void add_get(Command& dataset, const std::shared_ptr<DatasetOptions>& options) {
  Command command = dataset.subcommand("get", "Convert a data set into the cache");
  command.option("NAME", options->request.name, "The data set; see 'crossbind dataset list'")
      .required();
  command.option("--from", options->request.from, "A directory, an archive or an http(s) URL");
  command.option("--vocab", options->request.vocabulary, "squad: the WordPiece vocabulary");
  command.option("--train", options->request.glyphs.train, "glyphs: training samples")
      .between(1, data::kMostGlyphs)
      .shows_default();
  command.option("--test", options->request.glyphs.test, "glyphs: test samples")
      .between(1, data::kMostGlyphs)
      .shows_default();
  command.option("--seed", options->request.glyphs.seed, "glyphs: another seed, other samples")
      .between(0, UINT32_MAX)
      .shows_default();
  command.flag("--force", options->request.force, "Convert again even when it is there");
  command.footer(
      "Examples:\n"
      "  crossbind dataset get glyphs --train 2000 --test 500\n"
      "  crossbind dataset get imdb --from aclImdb_v1.tar.gz\n"
      "Exit codes: 0 done, 1 failed (nothing half-made is left), 2 wrong usage.");
  command.runs([options] { return get(*options); });
}

}  // namespace

void add_dataset_command(Command& program) {
  const auto options = std::make_shared<DatasetOptions>();
  Command dataset = program.subcommand("dataset", "List, get and check data sets");
  dataset.needs_subcommand();
  dataset.footer(
      "Example: crossbind dataset get glyphs\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage.");
  Command list_command = dataset.subcommand("list", "What there is, and what is ready");
  list_command.flag("--json", options->json, "Print JSON");
  list_command.footer(
      "Example: crossbind dataset list --json\n"
      "Exit codes: 0 listed, 1 failed, 2 wrong usage.");
  list_command.runs([options] { return list(*options); });
  Command check_command = dataset.subcommand("check", "Compare the cache with its checksums");
  check_command.option("NAME", options->names, "Only these data sets");
  check_command.flag("--json", options->json, "Print JSON");
  check_command.footer(
      "Example: crossbind dataset check mnist\n"
      "Exit codes: 0 nothing is corrupt, 1 something is, 2 wrong usage.");
  check_command.runs([options] { return check(*options); });
  add_get(dataset, options);
}

}  // namespace crossbind::cli
