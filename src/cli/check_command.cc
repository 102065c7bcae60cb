#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/cache.h"
#include "base/file.h"
#include "cli/check_inputs.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/compared_answers.h"
#include "cli/cross_study.h"
#include "cli/resources.h"
#include "cli/run_display.h"
#include "cli/signal_scope.h"
#include "cli/study_run.h"
#include "cli/text_table.h"
#include "cli/version.h"
#include "run/parameters_file.h"
#include "run/process_worker.h"

namespace crossbind::cli {
namespace {

constexpr const char* kReferee = "referee";

// What the command line says; lives as long as the closure that reads it.
struct Options {
  std::string file;
  std::string model;
  std::string data;
  std::vector<std::string> bindings;
  bool whole = false;
  bool json = false;
};

struct Row {
  std::string binding;
  ComparedAnswers answers;
};

// A model that is to be checked, ready to be handed to bindings.
struct Subject {
  FileKind kind = FileKind::kParameters;
  std::filesystem::path path;
  model::Model model;
  CheckData data;
  std::string judge;               // whose answers count
  std::filesystem::path expected;  // them

  [[nodiscard]] trial::Task task() const {
    return kind == FileKind::kParameters ? trial::Task::kInferParameters
                                         : trial::Task::kInferSerialization;
  }
};

std::string framework_of(FileKind kind) {
  return kind == FileKind::kTorchScript ? "pytorch" : "tensorflow";
}

// Bindings that might load the file: of its framework, or all.
std::vector<workers::Binding> loaders_of(const Subject& subject,
                                         std::vector<workers::Binding> bindings) {
  std::erase_if(bindings, [&](const workers::Binding& binding) {
    return subject.kind != FileKind::kParameters && binding.framework != framework_of(subject.kind);
  });
  return bindings;
}

Result<Subject> find_subject(const Options& options, const std::filesystem::path& scratch) {
  Subject subject;
  subject.path = std::filesystem::absolute(options.file).lexically_normal();
  CB_ASSIGN(subject.kind, kind_of(subject.path));
  CB_ASSIGN(subject.model,
            model::find_model(options.model, resource_folder("models"), model::Geometry::kFull));
  if (subject.kind == FileKind::kParameters) {
    CB_TRY(run::hash_parameters(subject.path, subject.model));
  }
  const bool is_large = subject.model.parameter_count() > kSmallModel;
  CB_ASSIGN(
      subject.data,
      find_data(
          options.data, subject.model, is_large && !options.whole ? kTestSubset : 0, scratch));
  subject.expected = scratch / "expected.safetensors";
  return subject;
}

class Check {
 public:
  Check(const Subject& subject,
        const Starts& starts,
        run::WorkerLauncher& launcher,
        const run::StopSignal& stop,
        const std::filesystem::path& scratch,
        size_t bindings)
      : subject_(subject),
        starts_(starts),
        launcher_(launcher),
        stop_(stop),
        scratch_(scratch),
        display_(bindings, 1) {}

  // Nothing when it was interrupted.
  [[nodiscard]] std::optional<Row> run(const std::string& binding) {
    run::TrialJob job = job_of(binding);
    ++number_;
    const auto& able = starts_.capabilities.at(binding);
    if (const auto lack = trial::missing_feature(able, subject_.model, job.task, job.settings)) {
      return Row{binding, {.sameness = Sameness::kUnsupported, .reason = *lack}};
    }
    if (binding == subject_.judge) {
      job.keep_outputs = subject_.expected;
    } else if (!std::filesystem::exists(subject_.expected)) {
      return Row{binding, {.reason = fmt::format("{} gave no answers", subject_.judge)}};
    } else {
      job.expected = subject_.expected;
    }
    display_.begins(0, number_, job.axes);
    const auto record = run::run_trial(
        job, launcher_, stop_, now, [&](const auto& progress) { display_.goes_on(0, progress); });
    if (!record) {
      display_.is_interrupted(0);
      return std::nullopt;
    }
    display_.ends(0, number_, *record);
    return row_of(*record);
  }

  void close() { display_.close(); }

 private:
  [[nodiscard]] run::TrialJob job_of(const std::string& binding) const {
    run::TrialJob job;
    job.axes.binding = binding;
    job.axes.model = subject_.model.id;
    job.axes.task = name_in(trial::kTasks, subject_.task());
    job.axes.measure = "total";
    job.model = &subject_.model;
    job.task = subject_.task();
    job.settings = trial::plain_settings(starts_.capabilities.at(binding));
    job.settings.batch_size = subject_.model.batch;
    job.command = starts_.commands.at(binding);
    job.limits.time = std::chrono::hours(1);
    job.model_file = subject_.path;
    job.data = subject_.data.file;
    job.scratch = scratch_;
    return job;
  }

  [[nodiscard]] Row row_of(const store::TrialRecord& record) const {
    Row row{record.axes.binding, compared_answers(record)};
    if (record.outcome == store::Outcome::kDone && row.binding == subject_.judge) {
      row.answers.sameness = Sameness::kIdentical;
      row.answers.reason = "the others are compared with it";
    }
    if (!subject_.data.has_labels) {
      row.answers.accuracy = row.answers.expected_accuracy = std::nullopt;
    }
    return row;
  }

  const Subject& subject_;
  const Starts& starts_;
  run::WorkerLauncher& launcher_;
  const run::StopSignal& stop_;
  const std::filesystem::path& scratch_;
  RunDisplay display_;
  size_t number_ = 0;
};

// Who is to be right: the referee where the model is described layer by layer and its parameters
// are there, else the binding that writes such files.
Status choose_judge(const std::vector<workers::Binding>& all,
                    std::vector<workers::Binding>& bindings,
                    Subject& subject) {
  if (subject.kind == FileKind::kParameters) {
    subject.judge = kReferee;
    return save_referee_outputs(subject.model, subject.path, subject.data.file, subject.expected);
  }
  const auto writer = std::ranges::find_if(all, [&](const workers::Binding& binding) {
    return binding.framework == framework_of(subject.kind) && binding.manifest &&
           binding.manifest->capabilities.serializes;
  });
  if (writer == all.end() || writer->state != workers::State::kReady) {
    return tl::unexpected(
        Error{ErrorKind::kUnavailable,
              fmt::format("no binding of {} that writes such files is ready to compare with",
                          framework_of(subject.kind)),
              {},
              writer == all.end() ? "" : "Try: " + writer->command});
  }
  subject.judge = writer->name;
  std::erase_if(bindings, [&](const auto& binding) { return binding.name == writer->name; });
  bindings.insert(bindings.begin(), *writer);
  return {};
}

analysis::Table table_of(const std::vector<Row>& rows) {
  analysis::Table table{"check", "A model through the bindings that load it", {"binding"}, {}};
  std::ranges::copy(answer_columns(), std::back_inserter(table.columns));
  for (const auto& row : rows) {
    auto& values = table.rows.emplace_back(std::vector<analysis::Value>{row.binding});
    std::ranges::move(answer_values(row.answers), std::back_inserter(values));
  }
  return table;
}

std::string text_of(const Subject& subject, const std::vector<Row>& rows) {
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
  return fmt::format("{} as {}, {} samples, compared with {}\n\n{}",
                     subject.path.filename().string(),
                     subject.model.id,
                     subject.data.file.test_samples,
                     subject.judge,
                     table.to_string());
}

Result<int> check(const Options& options) {
  CB_ASSIGN(const auto scratch, TemporaryDirectory::create_in(cache_directory() / "run"));
  CB_ASSIGN(Subject subject, find_subject(options, scratch.path()));
  CB_ASSIGN(const auto all, workers::list_bindings(worker_places()));
  CB_ASSIGN(auto bindings, ready_bindings(all, options.bindings));
  bindings = loaders_of(subject, std::move(bindings));
  if (bindings.empty()) {
    return fail(ErrorKind::kUnavailable, "none of the bindings that are ready loads such a file");
  }
  CB_TRY(choose_judge(all, bindings, subject));
  CB_ASSIGN(const Starts starts, starts_of(bindings));
  run::ProcessLauncher launcher(
      {.guard = worker_places().guard, .version = kVersion, .scratch = scratch.path()});
  run::StopSignal stop;
  const SignalScope signals(stop);
  Check checking(subject, starts, launcher, stop, scratch.path(), bindings.size());
  std::vector<Row> rows;
  for (const auto& binding : bindings) {
    auto row = checking.run(binding.name);
    if (!row) {
      checking.close();
      return kInterrupted;
    }
    rows.push_back(std::move(*row));
  }
  checking.close();
  std::fputs((options.json ? analysis::to_json({table_of(rows)}) : text_of(subject, rows)).c_str(),
             stdout);
  std::vector<ComparedAnswers> answers;
  answers.reserve(rows.size());
  std::ranges::transform(rows, std::back_inserter(answers), &Row::answers);
  return exit_code(answers);
}

}  // namespace

void add_check_command(Command& program) {
  Command command = program.subcommand(
      "check", "Does a model file give the same answers through every binding that loads it?");
  const auto options = std::make_shared<Options>();
  command.option("file", options->file, "TorchScript file, SavedModel folder, or .safetensors")
      .required();
  command
      .option("--model",
              options->model,
              "What it is, for no such file says it: a ready model's id, or a file ending in "
              ".toml")
      .required();
  command
      .option("--data",
              options->data,
              "A data set of `crossbind dataset list`, or a safetensors file with test.<input>")
      .required();
  command.option("--binding", options->bindings, "Names or globs; default: all that are ready");
  command.flag("--whole", options->whole, "Large models too on every sample");
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
