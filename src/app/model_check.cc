#include "app/model_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cross_study.h"
#include "app/study_run.h"
#include "converse/parameters_file.h"
#include "run/trial_runner.h"
#include "tasks/missing.h"

namespace crossbind::app {
namespace {

constexpr std::chrono::hours kTimeLimit{1};  // for any one binding

// Whose files they are; nothing of parameters, which any framework loads.
std::optional<std::string> framework_of(FileKind kind) {
  switch (kind) {
    case FileKind::kTorchScript:
      return "pytorch";
    case FileKind::kSavedModel:
      return "tensorflow";
    case FileKind::kParameters:
      break;
  }
  return std::nullopt;
}

Result<CheckedModel> find_subject(const CheckQuestion& question,
                                  const Machine& machine,
                                  const std::filesystem::path& scratch) {
  CheckedModel subject;
  subject.path = std::filesystem::absolute(question.file).lexically_normal();
  CB_ASSIGN(subject.kind, kind_of(subject.path));
  CB_ASSIGN(subject.model,
            model::find_model(question.model, machine.models, model::Geometry::kFull));
  if (subject.kind == FileKind::kParameters) {
    CB_TRY(converse::hash_parameters(subject.path, subject.model));
  }
  const bool is_large = subject.model.parameter_count() > kSmallModel;
  const int64_t limit = is_large && !question.whole ? kTestSubset : 0;
  CB_ASSIGN(subject.data, find_data(question.data, subject.model, limit, machine.cache, scratch));
  subject.expected = scratch / "expected.safetensors";
  return subject;
}

// The binding of the framework that writes such files becomes the judge, and the first to answer.
Status let_writer_judge(const std::string& framework,
                        const std::vector<workers::Binding>& all,
                        CheckPlan& plan) {
  const auto writer = std::ranges::find_if(all, [&](const workers::Binding& binding) {
    return binding.framework == framework && binding.manifest &&
           !binding.manifest->capabilities.writes.empty();
  });
  if (writer == all.end() || writer->state != workers::State::kReady) {
    return tl::unexpected(Error{
        ErrorKind::kUnavailable,
        fmt::format("no binding of {} that writes such files is ready to compare with", framework),
        {},
        writer == all.end() ? "" : "Try: " + writer->command});
  }
  plan.subject.judge = writer->name;
  std::erase_if(plan.bindings, [&](const auto& binding) { return binding.name == writer->name; });
  plan.bindings.insert(plan.bindings.begin(), *writer);
  return {};
}

run::TrialJob job_of(const CheckedModel& subject,
                     const std::string& binding,
                     const CheckContext& context) {
  run::TrialJob job;
  job.axes.binding = binding;
  job.axes.model = subject.model.id;
  job.axes.task = name_in(trial::kTasks, subject.task());
  job.axes.measure = "total";
  job.model = &subject.model;
  job.task = subject.task();
  job.settings = trial::plain_settings(context.starts.capabilities.at(binding));
  job.settings.batch_size = subject.model.batch;
  job.command = context.starts.commands.at(binding);
  job.limits.time = kTimeLimit;
  job.model_file = subject.path;
  job.data = subject.data.file;
  job.scratch = context.scratch;
  return job;
}

ComparedAnswers answers_of(const store::TrialRecord& record, const CheckedModel& subject) {
  ComparedAnswers answers = compared_answers(record);
  if (record.outcome == store::Outcome::kDone && record.axes.binding == subject.judge) {
    answers.sameness = Sameness::kIdentical;
    answers.reason = "the others are compared with it";
  }
  if (!subject.data.has_labels) {
    answers.accuracy = answers.expected_accuracy = std::nullopt;
  }
  return answers;
}

// Nothing when it was interrupted.
std::optional<ComparedAnswers> try_binding(const CheckedModel& subject,
                                           const std::string& binding,
                                           size_t number,
                                           const CheckContext& context) {
  run::TrialJob job = job_of(subject, binding, context);
  const auto& able = context.starts.capabilities.at(binding);
  if (const auto lack = tasks::missing_feature(able, subject.model, job.task, job.settings)) {
    return ComparedAnswers{.sameness = Sameness::kUnsupported, .reason = *lack};
  }
  if (binding == subject.judge) {
    job.keep_outputs = subject.expected;
  } else if (!std::filesystem::exists(subject.expected)) {
    return ComparedAnswers{.reason = fmt::format("{} gave no answers", subject.judge)};
  } else {
    job.expected = subject.expected;
  }
  context.watch.begins(0, number, job.axes);
  const auto record =
      run::run_trial(job, context.launcher, context.stop, now, [&](const auto& progress) {
        context.watch.goes_on(0, progress);
      });
  if (!record) {
    context.watch.is_interrupted(0);
    return std::nullopt;
  }
  context.watch.ends(0, number, *record);
  return answers_of(*record, subject);
}

}  // namespace

Result<CheckPlan> plan_check(const CheckQuestion& question,
                             const std::vector<workers::Binding>& all,
                             const Machine& machine,
                             const std::filesystem::path& scratch) {
  CheckPlan plan;
  CB_ASSIGN(plan.subject, find_subject(question, machine, scratch));
  CB_ASSIGN(plan.bindings, ready_bindings(all, question.bindings));
  const auto framework = framework_of(plan.subject.kind);
  std::erase_if(plan.bindings, [&](const workers::Binding& binding) {
    return framework && binding.framework != *framework;
  });
  if (plan.bindings.empty()) {
    return fail(ErrorKind::kUnavailable, "none of the bindings that are ready loads such a file");
  }
  if (framework) {
    CB_TRY(let_writer_judge(*framework, all, plan));
  } else {
    plan.subject.judge = kReferee;
    CB_TRY(save_referee_outputs(
        plan.subject.model, plan.subject.path, plan.subject.data.file, plan.subject.expected));
  }
  return plan;
}

std::optional<std::vector<CheckedBinding>> check_model(const CheckPlan& plan,
                                                       const CheckContext& context) {
  std::vector<CheckedBinding> checked;
  for (const auto& binding : plan.bindings) {
    auto answers = try_binding(plan.subject, binding.name, checked.size() + 1, context);
    if (!answers) {
      return std::nullopt;
    }
    checked.push_back({binding.name, std::move(*answers)});
  }
  return checked;
}

}  // namespace crossbind::app
