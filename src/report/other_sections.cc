// Sections on claims, environments, failures and what is missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "claims/wording.h"
#include "report/sections.h"
#include "trial/binding_name.h"

namespace crossbind::report {
namespace {

using analysis::Value;

constexpr size_t kMostLogs = 50;

bool has_answer(const claims::JudgedList& list) {
  return list.count(claims::Conclusion::kNotMeasured) < list.judged.size();
}

std::string counts_of(const claims::JudgedList& list) {
  std::vector<std::string> counts;
  counts.reserve(claims::kConclusions.size());
  for (const auto& [name, conclusion] : claims::kConclusions) {
    counts.push_back(fmt::format("{} {}", list.count(conclusion), name));
  }
  return fmt::format("{}: {} {}, {}.",
                     list.list.title,
                     list.judged.size(),
                     plural(list.judged.size(), "claim", "claims"),
                     fmt::join(counts, ", "));
}

analysis::Table host_table(const std::vector<store::Environment>& hosts) {
  analysis::Table table{"hosts", "Machines", {"what"}, {}};
  std::set<std::string> names;
  for (size_t i = 0; i < hosts.size(); ++i) {
    table.columns.push_back(hosts.size() == 1 ? "value" : fmt::format("machine {}", i + 1));
    for (const auto& [name, value] : hosts[i]) {
      names.insert(name);
    }
  }
  for (const auto& name : names) {
    auto& row = table.rows.emplace_back(std::vector<Value>{name});
    for (const auto& host : hosts) {
      const auto entry = host.find(name);
      row.push_back(entry == host.end() ? Value() : Value(entry->second));
    }
  }
  return table;
}

// A comparison whose samples are so few that no difference could be significant.
size_t too_small(const std::vector<Time>& times) {
  return static_cast<size_t>(std::ranges::count_if(
      times, [](const Time& time) { return time.difference() == analysis::Difference::kTooFew; }));
}

}  // namespace

std::string tasks_of_study(const std::vector<trial::Task>& tasks) {
  std::vector<std::string> words;
  words.reserve(tasks.size());
  for (const auto task : tasks) {
    words.push_back(fmt::format("\"{}\"", trial::word_of(task).name));
  }
  return fmt::format("tasks = [{}]", fmt::join(words, ", "));
}

Section claims_section(const Report& report) {
  Section section;
  section.id = "claims";
  section.title = "Published claims";
  section.short_title = "Claims";
  DataTable data{
      {"claims", "Claims", {"claims", "id", "claim", "verdict", "figure", "printed", "why"}, {}},
      {}};
  for (const auto& list : report.claims) {
    if (!has_answer(list)) {
      continue;
    }
    section.paragraphs.push_back(counts_of(list));
    for (size_t i = 0; i < list.judged.size(); ++i) {
      const auto& claim = list.list.claims[i];
      const auto words = claims::wording(claim, list.judged[i]);
      data.table.rows.push_back({list.name,
                                 claim.id,
                                 claim.text,
                                 std::string(to_string(list.judged[i].conclusion)),
                                 words.figure,
                                 claim.printed,
                                 words.why});
    }
  }
  if (data.table.rows.empty()) {
    section.missing = fmt::format("None of {} claims {} asks about what this store has.",
                                  report.claims.size(),
                                  plural(report.claims.size(), "file", "files"));
    section.command = "crossbind claims --store STORE";
    return section;
  }
  section.tables.push_back(std::move(data));
  return section;
}

Section environment_section(const Report& report) {
  Section section;
  section.id = "environment";
  section.title = "Environment and versions";
  section.short_title = "Environment";
  analysis::Table versions{
      "versions", "What bindings are made of", {"binding", "component", "version"}, {}};
  for (const auto& component : report.analysis.components) {
    versions.rows.push_back({trial::BindingName(component.framework, component.binding).text(),
                             component.name,
                             component.version});
  }
  analysis::Table studies{"studies", "Studies", {"study", "id", "trials"}, {}};
  for (const auto& study : report.studies) {
    studies.rows.push_back({study.name, study.id, static_cast<int64_t>(study.trials)});
  }
  section.tables.push_back({std::move(studies), {}});
  if (!versions.rows.empty()) {
    section.tables.push_back({std::move(versions), {}});
  }
  if (report.hosts.empty()) {
    section.missing = "The machine is not known: these trials were imported.";
    section.command = "crossbind run STUDY.toml";
  } else {
    section.tables.push_back({host_table(report.hosts), {}});
  }
  return section;
}

Section failures_section(const Report& report) {
  Section section;
  section.id = "failures";
  section.title = "Failed trials";
  section.short_title = "Failures";
  const std::string trials =
      fmt::format("{} {}", report.counts.trials, plural(report.counts.trials, "trial", "trials"));
  if (report.failures.empty()) {
    section.paragraphs.push_back(fmt::format("0 of {} failed.", trials));
    return section;
  }
  section.paragraphs.push_back(fmt::format(
      "{} of {} failed. What they printed last is below{}.",
      report.failures.size(),
      trials,
      report.failures.size() > kMostLogs ? fmt::format(", of {} of them", kMostLogs) : ""));
  DataTable data{
      {"failures",
       "Failed trials",
       {"binding", "model", "dataset", "device", "task", "seed", "repeat", "reason", "trial"},
       {}},
      {}};
  for (const auto& failure : report.failures) {
    const auto& axes = failure.axes;
    data.table.rows.push_back({axes.binding,
                               axes.model,
                               axes.dataset,
                               axes.device,
                               axes.task,
                               int64_t{axes.seed},
                               int64_t{axes.repeat},
                               failure.reason,
                               failure.identity.substr(0, 12)});
    if (section.logs.size() < kMostLogs && !failure.log.empty()) {
      section.logs.push_back(
          {fmt::format("{}, {}, {}, seed {}", axes.binding, axes.model, axes.task, axes.seed),
           failure.log.size() == failure.log_bytes ? failure.reason
                                                   : fmt::format("{} (the last {} of {} bytes)",
                                                                 failure.reason,
                                                                 failure.log.size(),
                                                                 failure.log_bytes),
           failure.log});
    }
  }
  section.tables.push_back(std::move(data));
  return section;
}

Section not_measured_section(const Report& report, const std::vector<Section>& others) {
  Section section;
  section.id = "not-measured";
  section.title = "What was not measured";
  section.short_title = "Not measured";
  analysis::Table table{"not_measured", "Not measured", {"what", "how to measure it"}, {}};
  for (const auto& other : others) {
    if (!other.missing.empty()) {
      table.rows.push_back({other.missing, other.command});
    }
  }
  std::map<std::string, std::vector<std::string>> unjudged;
  for (const auto& graded : report.graded) {
    if (graded.grade == Grade::kNotMeasured) {
      unjudged[graded.binding].push_back(graded.model);
    }
  }
  for (const auto& [binding, models] : unjudged) {
    table.rows.push_back({fmt::format("Steps of {} on {}.", binding, fmt::join(models, ", ")),
                          fmt::format("crossbind run STUDY.toml --only binding={} with {}",
                                      binding,
                                      tasks_of_study({trial::Task::kJudge}))});
  }
  if (const size_t small = too_small(report.training) + too_small(report.inference); small > 0) {
    table.rows.push_back(
        {fmt::format("{} {} so few samples that none could be significant.",
                     small,
                     plural(small, "comparison of times has", "comparisons of times have")),
         std::string("crossbind run STUDY.toml with seeds = [1, 2, 3, 4, 5] or repeats = 5")});
  }
  for (const auto& study : report.studies) {
    for (const auto& cut : study.cuts) {
      table.rows.push_back({cut, fmt::format("left out by the study {}", study.name)});
    }
  }
  if (table.rows.empty()) {
    section.paragraphs.push_back(
        fmt::format("All {} {} of binding and model were judged, timed and compared.",
                    report.graded.size(),
                    plural(report.graded.size(), "pair", "pairs")));
    return section;
  }
  section.tables.push_back({std::move(table), {}});
  return section;
}

}  // namespace crossbind::report
