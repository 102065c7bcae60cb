#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "analysis/tables.h"
#include "app/model_check.h"
#include "app/resources.h"
#include "app/signal_scope.h"
#include "app/workplace.h"
#include "base/text.h"
#include "cli/answers_text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/run_display.h"
#include "cli/text_table.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closure that reads it.
struct Options {
  app::CheckQuestion question;
  bool json = false;
};

analysis::Table table_of(const std::vector<app::CheckedBinding>& rows) {
  analysis::Table table{"check", "A model through the bindings that load it", {"binding"}, {}};
  std::ranges::copy(answer_columns(), std::back_inserter(table.columns));
  for (const auto& row : rows) {
    auto& values = table.rows.emplace_back(std::vector<analysis::Value>{row.binding});
    std::ranges::move(answer_values(row.answers), std::back_inserter(values));
  }
  return table;
}

std::string text_of(const app::CheckedModel& subject,
                    const std::vector<app::CheckedBinding>& rows) {
  TextTable table({{"BINDING"},
                   {"ANSWERS"},
                   {"DIFFERING", Align::kRight},
                   {"LARGEST MARGIN", Align::kRight},
                   {"LARGEST DIFFERENCE", Align::kRight},
                   {"ACCURACY", Align::kRight},
                   {"WHY"}});
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3g}", *value) : std::string("-");
  };
  for (const auto& [binding, answers] : rows) {
    table.add({binding,
               std::string(word(answers.sameness)),
               number(answers.differing),
               number(answers.largest_margin),
               number(answers.output_difference),
               answers.accuracy ? percent(*answers.accuracy) : "-",
               answers.reason});
  }
  const auto samples = static_cast<uint64_t>(subject.data.file.test_samples);
  return fmt::format("{} as {}, {} {}, compared with {}\n\n{}",
                     subject.path.filename().string(),
                     subject.model.id,
                     samples,
                     plural(samples, "sample", "samples"),
                     subject.judge,
                     table.to_string());
}

Result<int> check(const Options& options) {
  const auto machine = app::this_machine();
  CB_ASSIGN(const auto workplace, app::Workplace::open(machine, "run"));
  CB_ASSIGN(const auto all, workers::list_bindings(machine.workers));
  CB_ASSIGN(const auto plan, app::plan_check(options.question, all, machine, workplace->scratch()));
  CB_ASSIGN(const auto starts, app::starts_of(plan.bindings, machine.workers));
  process::StopSignal stop;
  const app::SignalScope signals(stop);
  RunDisplay display(plan.bindings.size(), 1);
  const auto rows =
      app::check_model(plan, {starts, workplace->launcher(), stop, workplace->scratch(), display});
  display.close();
  if (!rows) {
    return kInterrupted;
  }
  std::fputs(
      (options.json ? analysis::to_json({table_of(*rows)}) : text_of(plan.subject, *rows)).c_str(),
      stdout);
  std::vector<app::ComparedAnswers> answers;
  answers.reserve(rows->size());
  std::ranges::transform(*rows, std::back_inserter(answers), &app::CheckedBinding::answers);
  return exit_code(answers);
}

}  // namespace

void add_check_command(Command& program) {
  Command command = program.subcommand(
      "check", "Does a model file give the same answers through every binding that loads it?");
  const auto options = std::make_shared<Options>();
  command
      .option(
          "file", options->question.file, "TorchScript file, SavedModel folder, or .safetensors")
      .required();
  command
      .option("--model",
              options->question.model,
              "What it is, for no such file says it: a ready model's id, or a file ending in "
              ".toml")
      .required();
  command
      .option("--data",
              options->question.data,
              "A data set of `crossbind dataset list`, or a safetensors file with test.<input>")
      .required();
  command.option(
      "--binding", options->question.bindings, "Names or globs; default: all that are ready");
  command.flag("--whole", options->question.whole, "Large models too on every sample");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Example:     crossbind check lenet5.pt --model lenet5 --data mnist\n"
      "             crossbind check saved/ --model my.toml --data mine.safetensors\n"
      "             crossbind check trained.safetensors --model lenet5 --data mnist\n"
      "Parameters are compared with the referee, the others with their framework in Python. A\n"
      "model of more than 100,000 parameters answers the first 1,000 samples.\n"
      "Exit codes:  0 the same answers or unsupported, 1 some differ or the command failed, 2\n"
      "             wrong usage, 3 a binding failed or could not be tried, 130 interrupted.");
  command.runs([options] { return check(*options); });
}

}  // namespace crossbind::cli
