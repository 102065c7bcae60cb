#include <algorithm>
#include <cstdio>
#include <memory>

#include "analysis/tables.h"
#include "app/cross_cells.h"
#include "app/cross_study.h"
#include "app/resources.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/answers_text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cross_matrix.h"
#include "cli/displayed_run.h"
#include "trial/device.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closure that reads it.
struct Options {
  std::vector<std::string> bindings;
  app::CrossQuestion question;
  app::PlanOptions plan;
  size_t jobs = 1;
  std::string csv;
  bool json = false;
};

Result<int> cross(const Options& options) {
  const auto machine = app::this_machine();
  TerminalProgress progress;
  CB_ASSIGN(
      auto found,
      app::look_up_cross(options.question, options.bindings, options.plan, machine, progress));
  CB_ASSIGN(const auto ran, run_with_display(found, options.plan.store, {options.jobs}, machine));
  CB_ASSIGN(const auto cells, app::cross_cells(found.study, ran.planned.plan, *ran.planned.store));
  const analysis::Table table = cross_table(cells);
  std::fputs((options.json ? analysis::to_json({table}) : cross_text(cells)).c_str(), stdout);
  if (!options.csv.empty()) {
    CB_TRY(write_file(options.csv, analysis::to_csv(table)));
  }
  if (ran.was_interrupted) {
    std::fputs("crossbind: interrupted; the same command goes on.\n", stderr);
    return kInterrupted;
  }
  std::vector<app::ComparedAnswers> answers;
  answers.reserve(cells.size());
  std::ranges::transform(cells, std::back_inserter(answers), &app::CrossCell::answers);
  return exit_code(answers);
}

}  // namespace

void add_cross_command(Command& program) {
  Command command = program.subcommand(
      "cross", "Train and save in each binding, score in every other: does a model stay the same?");
  const auto options = std::make_shared<Options>();
  command.option("bindings", options->bindings, "Names or globs; default: all that are ready");
  command.option("--model",
                 options->question.models,
                 "A ready model's id, or a file ending in .toml; default: lenet1 and lenet5 on "
                 "generated digits");
  command.option("--data", options->question.dataset, "A data set; default: the model's own");
  command.option("--device", options->question.device, "Where they train and score")
      .shows_default()
      .one_of(trial::all_devices());
  command.option("--epochs", options->question.epochs, "Of each training")
      .shows_default()
      .between(1, 1'000'000);
  command.option("--train", options->question.train_samples, "Only the first so many samples")
      .positive();
  command.flag(
      "--whole", options->question.whole, "Large models too are scored on the whole test set");
  command.option("--store", options->plan.store, "Where results are kept").shows_default();
  command.option("--jobs", options->jobs, "Trials at a time, each on processors of its own")
      .shows_default()
      .between(1, 1024);
  command.flag("--retry-failed", options->plan.retry_failed, "Failed trials are to run again");
  command.flag("--json", options->json, "Print JSON");
  command.option("--csv", options->csv, "Also write every cell into this file");
  command.footer(
      "Example:     crossbind cross\n"
      "             crossbind cross 'pytorch/*' --model lenet5 --data mnist --epochs 5\n"
      "             crossbind cross '*/python' '*/rust' --model vgg16 --train 512 --epochs 1\n"
      "             crossbind cross pytorch/python pytorch/cpp --device cuda\n"
      "A model of more than 100,000 parameters is scored on the first 1,000 test samples.\n"
      "Ctrl-C ends in order, and the same command goes on.\n"
      "Exit codes:  0 every answer is the same or unsupported, 1 some differ, 2 wrong usage,\n"
      "             3 something failed or could not run, 130 interrupted.");
  command.runs([options] { return cross(*options); });
}

}  // namespace crossbind::cli
