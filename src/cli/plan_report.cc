#include "cli/plan_report.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "cli/text_table.h"

namespace crossbind::cli {
namespace {

using Json = nlohmann::ordered_json;
using plan::Decision;
using plan::Plan;
using plan::Trial;
using spec::Study;

// One decision of each word, in the order of the columns.
constexpr std::array kWords = {Decision::kRun,
                               Decision::kDone,
                               Decision::kFailed,
                               Decision::kUnsupported,
                               Decision::kUnavailable,
                               Decision::kExcluded};
constexpr size_t kMostReasons = 20;
constexpr size_t kShownDigits = 12;  // of an identity: --only trial=... takes them

using Counts = std::array<int64_t, kWords.size()>;

void count(Counts& counts, Decision decision) {
  const auto place = std::ranges::find(kWords, plan::word(decision), plan::word);
  ++counts[static_cast<size_t>(place - kWords.begin())];
}

std::vector<std::string> cells(std::string binding, std::string model, const Counts& counts) {
  std::vector<std::string> row = {std::move(binding), std::move(model)};
  for (const int64_t number : counts) {
    row.push_back(number == 0 ? "-" : with_thousands(number));
  }
  return row;
}

// On one line: a reason may quote what a worker said.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

// Whether a trial's reason is worth a line: it does not run, or something is made for it first.
bool is_remarkable(const Trial& trial) {
  return trial.decision == Decision::kFailed || trial.decision == Decision::kUnsupported ||
         trial.decision == Decision::kUnavailable ||
         (trial.decision == Decision::kRun && trial.note != 0);
}

// What stands in the way, with the number of trials, the most frequent first.
std::string obstacles_text(const Plan& plan) {
  std::map<std::pair<Decision, uint32_t>, int64_t> numbers;
  std::map<std::string, int64_t> by_reason;
  for (const Trial& trial : plan.trials) {
    if (is_remarkable(trial)) {
      ++numbers[{trial.decision, trial.note}];
    }
  }
  for (const auto& [key, number] : numbers) {
    by_reason[plan.reason_of({.note = key.second, .decision = key.first})] += number;
  }
  std::vector<std::pair<std::string, int64_t>> reasons(by_reason.begin(), by_reason.end());
  std::ranges::stable_sort(reasons, std::greater{}, &std::pair<std::string, int64_t>::second);
  std::string text;
  for (size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    text +=
        fmt::format("{:>9}  {}\n", with_thousands(reasons[i].second), printable(reasons[i].first));
  }
  if (reasons.size() > kMostReasons) {
    const size_t others = reasons.size() - kMostReasons;
    text += fmt::format("           and {} other {}; --explain shows all\n",
                        others,
                        plural(others, "reason", "reasons"));
  }
  return text.empty() ? "" : "\n" + text;
}

std::string estimate_text(const plan::Estimate& estimated) {
  std::string text;
  if (estimated.to_run.count() > 0) {
    text += fmt::format("What is to run takes about {}", human_duration(estimated.to_run));
  }
  if (estimated.unavailable.count() > 0) {
    text += fmt::format("{} about {}",
                        text.empty() ? "What is unavailable here would take"
                                     : "; what is unavailable here would take",
                        human_duration(estimated.unavailable));
  }
  return text.empty() ? text : text + ", by the arithmetic of the models\n";
}

std::string cuts_text(const Study& study) {
  std::string text = study.cuts.empty() ? "" : "\nWhat it leaves out:\n";
  for (const auto& cut : study.cuts) {
    text += fmt::format("  - {}\n", cut);
  }
  return text;
}

template <typename Range, typename Projection>
size_t widest(const Range& range, Projection projection) {
  size_t width = 0;
  for (const auto& item : range) {
    width = std::max(width, std::string_view(std::invoke(projection, item)).size());
  }
  return width;
}

Json trial_json(const Study& study, const Plan& plan, const Trial& trial) {
  const plan::Block& block = plan.block_of(trial);
  const plan::Condition& condition = plan.condition_of(trial);
  const spec::ModelEntry& entry = study.models[condition.model];
  return {
      {"trial", trial.id.to_string()},
      {"block", trial.block},
      {"binding", plan.bindings[trial.binding]},
      {"model", entry.label},
      {"dataset", entry.model.dataset},
      {"device", study.devices[condition.device]},
      {"seed", block.seed},
      {"task", name_in(trial::kTasks, condition.task)},
      {"loader", name_in(trial::kLoaders, condition.loader)},
      {"variant", name_in(trial::kVariants, condition.variant)},
      {"measure", name_in(trial::kMeasures, condition.measure)},
      {"weights", plan.weights_of(trial)},
      {"repeat", block.repeat},
      {"source",
       trial.source == plan::kNoSource ? Json() : Json(plan.trials[trial.source].id.to_string())},
      {"decision", plan::word(trial.decision)},
      {"reason", plan.reason_of(trial)}};
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string plan_summary(const Study& study, const Plan& plan, const plan::Estimate& estimated) {
  std::vector<TextTable::Column> columns = {{"BINDING"}, {"MODEL"}};
  for (const Decision decision : kWords) {
    std::string title(plan::word(decision));
    std::ranges::transform(title, title.begin(), [](char c) { return c - 'a' + 'A'; });
    columns.push_back({std::move(title), Align::kRight});
  }
  std::vector<Counts> counts(plan.bindings.size() * study.models.size());
  Counts total{};
  for (const Trial& trial : plan.trials) {
    count(counts[trial.binding * study.models.size() + plan.condition_of(trial).model],
          trial.decision);
    count(total, trial.decision);
  }
  TextTable table(std::move(columns));
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != Counts{}) {
      table.add(cells(plan.bindings[i / study.models.size()],
                      study.models[i % study.models.size()].label,
                      counts[i]));
    }
  }
  table.add(cells("all", "", total));
  return fmt::format("{}: {}\n{} {} in {} {}\n{}{}\n{}{}",
                     study.name,
                     study.title,
                     with_thousands(static_cast<int64_t>(plan.trials.size())),
                     plural(plan.trials.size(), "trial", "trials"),
                     with_thousands(static_cast<int64_t>(plan.blocks.size())),
                     plural(plan.blocks.size(), "comparison", "comparisons"),
                     estimate_text(estimated),
                     cuts_text(study),
                     table.to_string(),
                     obstacles_text(plan));
}

void explain_plan(const Study& study, const Plan& plan, const Output& output) {
  const size_t number = std::to_string(plan.trials.size()).size();
  const size_t binding = widest(plan.bindings, std::identity{});
  const size_t model = widest(study.models, &spec::ModelEntry::label);
  const size_t dataset =
      widest(study.models, [](const auto& entry) { return std::string_view(entry.model.dataset); });
  for (size_t i = 0; i < plan.trials.size(); ++i) {
    const Trial& trial = plan.trials[i];
    const plan::Block& block = plan.block_of(trial);
    const plan::Condition& condition = plan.condition_of(trial);
    const spec::ModelEntry& entry = study.models[condition.model];
    const std::string_view weights = plan.weights_of(trial);
    output(
        fmt::format("{:>{}}  {}  {:<{}}  {:<{}}  {:<{}}  {} {} {} {} {}{}{}  seed {} repeat {}  "
                    "{}: {}\n",
                    i + 1,
                    number,
                    trial.id.to_string().substr(0, kShownDigits),
                    plan.bindings[trial.binding],
                    binding,
                    entry.label,
                    model,
                    entry.model.dataset,
                    dataset,
                    study.devices[condition.device],
                    name_in(trial::kTasks, condition.task),
                    name_in(trial::kLoaders, condition.loader),
                    name_in(trial::kVariants, condition.variant),
                    name_in(trial::kMeasures, condition.measure),
                    weights.empty() ? "" : " ",
                    weights,
                    block.seed,
                    block.repeat,
                    is_run(trial.decision) ? "run" : "skip",
                    printable(plan.reason_of(trial))));
  }
}

void plan_json(const Study& study,
               const Plan& plan,
               const plan::Estimate& estimated,
               const Output& output) {
  Counts total{};
  for (const Trial& trial : plan.trials) {
    count(total, trial.decision);
  }
  Json counts = {{"trials", plan.trials.size()}, {"comparisons", plan.blocks.size()}};
  for (size_t i = 0; i < kWords.size(); ++i) {
    counts[std::string(plan::word(kWords[i]))] = total[i];
  }
  counts["estimated_s"] = std::round(estimated.to_run.count());
  counts["estimated_unavailable_s"] = std::round(estimated.unavailable.count());
  output(fmt::format("{{\"study\": {},\n\"counts\": {},\n\"trials\": [",
                     line_of({{"name", study.name}, {"title", study.title}, {"cuts", study.cuts}}),
                     line_of(counts)));
  const char* separator = "\n";
  for (const Trial& trial : plan.trials) {
    output(separator + line_of(trial_json(study, plan, trial)));
    separator = ",\n";
  }
  output("\n]}\n");
}

}  // namespace crossbind::cli
