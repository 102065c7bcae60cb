#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cross_matrix.h"
#include "cli/cross_study.h"
#include "cli/resources.h"
#include "cli/signal_scope.h"
#include "cli/study_run.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closure that reads it.
struct Options {
  std::vector<std::string> bindings;
  CrossQuestion question;
  PlanOptions plan;
  size_t jobs = 1;
  std::string csv;
  bool json = false;
};

Result<std::vector<workers::Binding>> find_rows(const std::vector<workers::Binding>& all,
                                                const std::vector<std::string>& patterns) {
  CB_ASSIGN(auto bindings, ready_bindings(all, patterns));
  if (std::ranges::none_of(bindings, trains_and_saves)) {
    return tl::unexpected(Error{ErrorKind::kUnavailable,
                                "none of the bindings trains and saves what it trained",
                                {},
                                "'crossbind doctor' says what each can do and what is set up."});
  }
  return bindings;
}

Result<StudyOnMachine> find(const Options& options) {
  StudyOnMachine found;
  CB_ASSIGN(found.bindings, workers::list_bindings(worker_places()));
  CB_ASSIGN(const auto bindings, find_rows(found.bindings, options.bindings));
  const spec::FindModel find_model = [](const std::string& name, model::Geometry geometry) {
    return model::find_model(name, resource_folder("models"), geometry);
  };
  CB_ASSIGN(found.text, cross_study(options.question, bindings, find_model));
  CB_ASSIGN(found.study, spec::parse_study(found.text, "crossbind cross", find_model));
  return look_up_study(std::move(found), options.plan, MissingData::kGenerate);
}

Result<int> cross(const Options& options) {
  CB_ASSIGN(StudyOnMachine found, find(options));
  CB_ASSIGN(const FinishedRun finished, run_on_machine(found, {options.plan.store, options.jobs}));
  CB_ASSIGN(const auto cells, cross_cells(found.study, finished.plan, finished.store));
  const analysis::Table table = cross_table(cells);
  std::fputs((options.json ? analysis::to_json({table}) : cross_text(cells)).c_str(), stdout);
  if (!options.csv.empty()) {
    CB_TRY(write_file(options.csv, analysis::to_csv(table)));
  }
  if (finished.was_interrupted) {
    std::fputs("crossbind: interrupted; the same command goes on.\n", stderr);
    return kInterrupted;
  }
  std::vector<ComparedAnswers> answers;
  answers.reserve(cells.size());
  std::ranges::transform(cells, std::back_inserter(answers), &CrossCell::answers);
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
      .one_of({"cpu", "cuda"});
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
