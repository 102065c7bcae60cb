#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "app/stores.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "store/csv_folder.h"
#include "store/open.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closures that read it.
struct StoreOptions {
  std::string store = store::kDefaultStore;
  std::string into;
  std::vector<std::string> from;
  std::string folder;
  bool json = false;
};

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

std::string list_table(const std::vector<app::CountedStudy>& lines) {
  TextTable table({{"STUDY"},
                   {"ID"},
                   {"TRIALS", Align::kRight},
                   {"DONE", Align::kRight},
                   {"FAILED", Align::kRight},
                   {"UNSUPPORTED", Align::kRight}});
  for (const auto& line : lines) {
    table.add({line.study.record.name,
               line.study.id.sha256.substr(0, 12),
               with_thousands(line.trials()),
               with_thousands(line.done),
               with_thousands(line.failed),
               with_thousands(line.unsupported)});
  }
  return table.to_string();
}

std::string list_json(const std::vector<app::CountedStudy>& lines) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& line : lines) {
    list.push_back({{"name", line.study.record.name},
                    {"id", line.study.id.sha256},
                    {"done", line.done},
                    {"failed", line.failed},
                    {"unsupported", line.unsupported}});
  }
  return json_text(list);
}

Result<int> list(const StoreOptions& options) {
  CB_ASSIGN(const auto store, store::open_for_reading(options.store));
  CB_ASSIGN(const auto lines, app::count_studies(*store));
  print(options.json ? list_json(lines) : list_table(lines));
  return kSuccess;
}

Result<int> check(const StoreOptions& options) {
  CB_ASSIGN(const auto store, store::open_for_reading(options.store));
  CB_ASSIGN(const auto problems, store->check());
  if (options.json) {
    print(json_text(nlohmann::ordered_json{
        {"store", options.store}, {"sound", problems.empty()}, {"problems", problems}}));
  } else if (problems.empty()) {
    print(fmt::format("{} is sound\n", options.store));
  } else {
    print(fmt::format("{} has problems:\n", options.store));
    for (const auto& problem : problems) {
      print(fmt::format("  {}\n", problem));
    }
  }
  return problems.empty() ? kSuccess : kFailure;
}

std::string counts_text(const std::string& from, const store::MergeCounts& counts) {
  return fmt::format("{}: studies: {} new; trials: {} added, {} already there, {} replaced\n",
                     from,
                     counts.studies,
                     counts.added,
                     counts.already_there,
                     counts.replaced);
}

Result<int> export_csv(const StoreOptions& options) {
  CB_ASSIGN(const auto store, store::open_for_reading(options.store));
  CB_ASSIGN(const size_t trials, store::write_csv_folder(*store, options.folder));
  print(fmt::format("{}: {} {}\n",
                    options.folder,
                    with_thousands(static_cast<int64_t>(trials)),
                    plural(trials, "trial", "trials")));
  return kSuccess;
}

Result<int> import_csv(const StoreOptions& options) {
  CB_ASSIGN(const auto counts, app::import_csv_folder(options.folder, options.store));
  print(counts_text(options.folder, counts));
  return kSuccess;
}

Result<int> merge(const StoreOptions& options) {
  CB_TRY(app::merge_stores(
      options.into, options.from, [&](const std::string& from, const store::MergeCounts& counts) {
        print(counts_text(from, counts));
        if (counts.contradicting > 0) {
          print(fmt::format(
              "  done in one store and unsupported in the other: {}; those of {} were kept\n",
              counts.contradicting,
              options.into));
        }
      }));
  return kSuccess;
}

}  // namespace

void add_store_command(Command& program) {
  const auto options = std::make_shared<StoreOptions>();
  Command store = program.subcommand("store", "List, check, merge and export stores of results");
  store.needs_subcommand();
  store.footer(
      "Example: crossbind store list\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage.");

  Command list_command = store.subcommand("list", "The studies of a store");
  list_command.footer(
      "Example: crossbind store list --store lab.db\n"
      "Exit codes: 0 listed, 1 the store cannot be read, 2 wrong usage.");
  list_command.runs([options] { return list(*options); });

  Command check_command = store.subcommand("check", "Look for damage in a store");
  check_command.footer(
      "Example: crossbind store check --store lab.db\n"
      "Exit codes: 0 it is sound, 1 it is not or cannot be read, 2 wrong usage.");
  check_command.runs([options] { return check(*options); });

  for (Command command : {list_command, check_command}) {
    command.option("--store", options->store, "The store's file").shows_default();
    command.flag("--json", options->json, "Print JSON");
  }

  Command merge_command =
      store.subcommand("merge", "Add the studies and trials of other stores to one");
  merge_command.option("INTO", options->into, "The store to add to; made if it is not there")
      .required();
  merge_command.option("FROM", options->from, "The stores to read; they stay as they are")
      .required();
  merge_command.footer(
      "Example: crossbind store merge all.db laptop.db server.db\n"
      "A trial in both is kept once; one that is done beats one that failed. Each FROM is added as "
      "a\n"
      "whole or not at all.\n"
      "Exit codes: 0 merged, 1 failed (the FROMs printed before are merged), 2 wrong usage.");
  merge_command.runs([options] { return merge(*options); });

  Command export_command = store.subcommand("export", "Write a store as CSV files");
  export_command
      .option("FOLDER", options->folder, "The folder to write to; made if it is not there")
      .required();
  export_command.footer(
      "Example: crossbind store export results --store lab.db\n"
      "All but what workers printed; docs/store.md describes the files.\n"
      "Exit codes: 0 written, 1 failed, 2 wrong usage.");
  export_command.runs([options] { return export_csv(*options); });

  Command import_command = store.subcommand("import", "Add what `store export` wrote to a store");
  import_command.option("FOLDER", options->folder, "The folder to read").required();
  import_command.footer(
      "Example: crossbind store import results --store lab.db\n"
      "Trials are united as by `store merge`; all are added or none.\n"
      "Exit codes: 0 added, 1 failed, 2 wrong usage.");
  import_command.runs([options] { return import_csv(*options); });
  for (Command command : {export_command, import_command}) {
    command.option("--store", options->store, "The store's file").shows_default();
  }
}

}  // namespace crossbind::cli
