#include "tasks/conform/rows.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "tasks/rows.h"

namespace crossbind::tasks {
namespace {

// A part's facts and metrics have the part's name in front; those of the whole have nothing.
constexpr std::string_view kLargestRatio = "conform.ratio";
constexpr std::string_view kReason = "verdict.reason";
constexpr std::string_view kLevel = "level";
constexpr std::string_view kDivergence = "divergence.";

// Lists are facts with a number behind the name, from 1.
constexpr std::array<std::pair<std::string_view, std::vector<std::string> Conformed::*>, 3> kLists =
    {{{"convention", &Conformed::conventions},
      {"same_as", &Conformed::same_as},
      {"missed", &Conformed::missed}}};

constexpr std::array<std::pair<std::string_view, std::string Divergence::*>, 5> kTexts = {
    {{"layer", &Divergence::layer},
     {"tensor", &Divergence::tensor},
     {"detail", &Divergence::detail},
     {"cause", &Divergence::cause},
     {"repro", &Divergence::repro}}};

std::string prefix_of(ConformPart part) {
  return fmt::format("{}.", name_in(kConformParts, part));
}

std::string metric_of(const std::string& prefix) {
  return fmt::format("conform.{}ratio", prefix);
}

void add_divergence(const std::string& prefix,
                    const std::optional<Divergence>& divergence,
                    store::TrialRecord& into) {
  if (!divergence) {
    return;
  }
  const auto add = [&](std::string_view name, const std::string& value) {
    add_fact(fmt::format("{}{}{}", prefix, kDivergence, name), value, into);
  };
  add("part", std::string(name_in(kConformParts, divergence->part)));
  add("kind", std::string(name_in(trial::kKinds, divergence->kind)));
  add("seed", std::to_string(divergence->seed));
  add("step", std::to_string(divergence->step));
  add("error", text_of(divergence->error));
  add("bound", text_of(divergence->bound));
  for (const auto& [name, field] : kTexts) {
    add(name, (*divergence).*field);
  }
}

template <typename T>
T whole_number_in(const std::string& text) {
  T number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

template <typename T, size_t N>
Result<T> word_in(const store::TrialRecord& trial,
                  const std::string& name,
                  const std::array<Named<T>, N>& words) {
  const std::string word = fact_in(trial, name);
  const auto value = value_in(words, word);
  if (!value) {
    return fail(ErrorKind::kCorrupt, "the fact '{}' is '{}', which says nothing", name, word);
  }
  return *value;
}

Result<std::optional<Divergence>> divergence_in(const store::TrialRecord& trial,
                                                const std::string& prefix) {
  const auto name_of = [&](std::string_view name) {
    return fmt::format("{}{}{}", prefix, kDivergence, name);
  };
  if (!trial.facts.contains(name_of("kind"))) {
    return std::nullopt;
  }
  Divergence divergence;
  CB_ASSIGN(divergence.part, word_in(trial, name_of("part"), kConformParts));
  CB_ASSIGN(divergence.kind, word_in(trial, name_of("kind"), trial::kKinds));
  divergence.seed = whole_number_in<uint64_t>(fact_in(trial, name_of("seed")));
  divergence.step = whole_number_in<int64_t>(fact_in(trial, name_of("step")));
  divergence.error = number_in(fact_in(trial, name_of("error")));
  divergence.bound = number_in(fact_in(trial, name_of("bound")));
  for (const auto& [name, field] : kTexts) {
    divergence.*field = fact_in(trial, name_of(name));
  }
  return divergence;
}

double ratio_in(const store::TrialRecord& trial, std::string_view metric) {
  const auto found = std::ranges::find(trial.series, metric, &store::Series::metric);
  if (found == trial.series.end()) {
    return 0;
  }
  const double ratio = found->values.front();
  return ratio < kFarthest ? ratio : std::numeric_limits<double>::infinity();
}

Result<std::vector<PartFinding>> parts_in(const store::TrialRecord& trial) {
  std::vector<PartFinding> parts;
  for (const auto& [name, part] : kConformParts) {
    const std::string prefix = prefix_of(part);
    if (!trial.facts.contains(prefix + std::string(kVerdict))) {
      continue;
    }
    PartFinding found;
    found.part = part;
    CB_ASSIGN(found.outcome, word_in(trial, prefix + std::string(kVerdict), kConformOutcomes));
    found.ratio = ratio_in(trial, metric_of(prefix));
    CB_ASSIGN(found.divergence, divergence_in(trial, prefix));
    found.reason = fact_in(trial, prefix + std::string(kReason));
    parts.push_back(std::move(found));
  }
  return parts;
}

}  // namespace

void write(const Conformed& conformed, store::TrialRecord& into) {
  add_series(kLargestRatio, 0, {storable(conformed.ratio)}, into);
  add_fact(kVerdict, std::string(name_in(kConformOutcomes, conformed.outcome)), into);
  add_fact(kReason, conformed.reason, into);
  add_fact(kLevel, std::string(name_in(trial::kProbeLevels, conformed.level)), into);
  for (const auto& [name, list] : kLists) {
    for (size_t i = 0; i < (conformed.*list).size(); ++i) {
      add_fact(fmt::format("{}.{}", name, i + 1), (conformed.*list)[i], into);
    }
  }
  add_divergence("", conformed.divergence, into);
  for (const auto& part : conformed.parts) {
    const std::string prefix = prefix_of(part.part);
    add_series(metric_of(prefix), 0, {storable(part.ratio)}, into);
    add_fact(
        prefix + std::string(kVerdict), std::string(name_in(kConformOutcomes, part.outcome)), into);
    add_fact(prefix + std::string(kReason), part.reason, into);
    add_divergence(prefix, part.divergence, into);
  }
}

Result<Conformed> read_conformed(const store::TrialRecord& trial) {
  Conformed conformed;
  CB_ASSIGN(conformed.outcome, word_in(trial, std::string(kVerdict), kConformOutcomes));
  CB_ASSIGN(conformed.level, word_in(trial, std::string(kLevel), trial::kProbeLevels));
  conformed.ratio = ratio_in(trial, kLargestRatio);
  conformed.reason = fact_in(trial, kReason);
  for (const auto& [name, list] : kLists) {
    for (size_t i = 1; trial.facts.contains(fmt::format("{}.{}", name, i)); ++i) {
      (conformed.*list).push_back(trial.facts.at(fmt::format("{}.{}", name, i)));
    }
  }
  CB_ASSIGN(conformed.divergence, divergence_in(trial, ""));
  CB_ASSIGN(conformed.parts, parts_in(trial));
  return conformed;
}

}  // namespace crossbind::tasks
