#include "cli/features_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "base/named.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "tasks/rules.h"

namespace crossbind::cli {
namespace {

using checkup::Experience;
using checkup::Tried;
using trial::Task;

constexpr std::array kExperiences = {Named<Experience>{"works", Experience::kWorks},
                                     Named<Experience>{"lacks", Experience::kLacks},
                                     Named<Experience>{"fails", Experience::kFails}};

// "yes" when any of them works, "fails" when none does and one was claimed, else "no".
template <typename Concerns>
std::string summary(const app::BindingFeatures& features, const Concerns& concerns) {
  if (features.attempts.empty()) {
    return "-";
  }
  const auto any = [&](Experience experience) {
    return std::ranges::any_of(features.attempts, [&](const Tried& attempt) {
      return concerns(attempt) && attempt.experience == experience;
    });
  };
  if (any(Experience::kFails)) {
    return "fails";
  }
  return any(Experience::kWorks) ? "yes" : "no";
}

std::string by_task(const app::BindingFeatures& features, Task task) {
  return summary(features, [&](const Tried& attempt) { return attempt.task == task; });
}

// Whether its own layers can make up a network of the family; a serialized one brings its own.
std::string by_family(const app::BindingFeatures& features, std::string_view family) {
  return summary(features, [&](const Tried& attempt) {
    return attempt.family == family && !tasks::rules_of(attempt.task).takes_file;
  });
}

// A line for each reason, with what it concerns: "pytorch/x lacks layer gru: rnn train, rnn
// infer-parameters".
std::string shortcomings(const app::BindingFeatures& features) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const Tried& attempt : features.attempts) {
    if (attempt.experience == Experience::kWorks) {
      continue;
    }
    const std::string line = fmt::format(
        "{} {} {}", features.binding, name_in(kExperiences, attempt.experience), attempt.reason);
    auto found = std::ranges::find(lines, line, [](const auto& one) { return one.first; });
    if (found == lines.end()) {
      found = lines.insert(lines.end(), {line, {}});
    }
    found->second.push_back(
        fmt::format("{} {}", attempt.family, name_in(trial::kTasks, attempt.task)));
  }
  std::string text;
  for (const auto& [line, concerned] : lines) {
    text += fmt::format("{}: {}\n", line, fmt::join(concerned, ", "));
  }
  return text;
}

}  // namespace

std::string features_table(const std::vector<app::BindingFeatures>& bindings) {
  TextTable table({{"BINDING"},
                   {"TRAINING"},
                   {"CNN"},
                   {"RNN"},
                   {"BERT"},
                   {"BY PARAMETERS"},
                   {"BY SERIALIZATION"}});
  std::string reasons;
  for (const auto& features : bindings) {
    table.add({features.binding,
               by_task(features, Task::kTrain),
               by_family(features, "cnn"),
               by_family(features, "rnn"),
               by_family(features, "bert"),
               by_task(features, Task::kInferParameters),
               by_task(features, Task::kInferSerialization)});
    if (!features.not_ready.empty()) {
      reasons += fmt::format("{}: not tried: {}\n", features.binding, features.not_ready);
    }
    reasons += shortcomings(features);
  }
  return table.to_string() + (reasons.empty() ? "" : "\n" + reasons);
}

std::string features_json(const std::vector<app::BindingFeatures>& bindings) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const auto& features : bindings) {
    Json attempts = Json::array();
    for (const Tried& attempt : features.attempts) {
      attempts.push_back({{"family", attempt.family},
                          {"task", name_in(trial::kTasks, attempt.task)},
                          {"experience", name_in(kExperiences, attempt.experience)},
                          {"reason", attempt.reason}});
    }
    list.push_back({{"binding", features.binding},
                    {"not_ready", features.not_ready},
                    {"attempts", std::move(attempts)}});
  }
  return json_text(list);
}

}  // namespace crossbind::cli
