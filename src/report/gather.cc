#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/names.h"
#include "analysis/observation.h"
#include "claims/analysis_cells.h"
#include "config/table_reader.h"
#include "report/bands.h"
#include "report/conformance.h"
#include "report/grades.h"
#include "report/notes.h"
#include "report/report.h"
#include "report/spread.h"
#include "report/times.h"
#include "tasks/rules.h"

namespace crossbind::report {
namespace {

using analysis::Observation;
using analysis::Observed;

constexpr size_t kMostLog = 4096;  // bytes of a failed trial's log

std::string end_of(const std::string& log) {
  return log.size() <= kMostLog ? log : log.substr(log.size() - kMostLog);
}

// What a report needs of trials beside what the analysis takes.
class Gathering {
 public:
  void add(const store::TrialRecord& trial, const tasks::Measured& measured) {
    Note note;
    note.peak_memory = trial.peak_memory;
    const auto* trained = std::get_if<tasks::Trained>(&measured);
    if (trained != nullptr && trial.outcome == store::Outcome::kDone) {
      note.curve = trained->curve;
    }
    note.reason = trial.reason;
    if (trial.outcome == store::Outcome::kFailed) {
      note.log = end_of(trial.log);
      note.log_bytes = trial.log.size();
    }
    for (const auto& series : trial.series) {
      note.samples += series.values.size();
    }
    if (!trial.host.empty()) {
      hosts_.insert(trial.host);
    }
    notes_.emplace(trial.identity, std::move(note));
  }

  [[nodiscard]] const Notes& notes() const { return notes_; }
  [[nodiscard]] const std::set<store::Environment>& hosts() const { return hosts_; }

 private:
  Notes notes_;
  std::set<store::Environment> hosts_;
};

void count(const Observed& observed, const Notes& notes, Report& into) {
  for (const auto& seen : observed.trials) {
    auto& counts = into.counts;
    ++counts.trials;
    counts.samples += notes.at(seen.identity).samples;
    switch (seen.outcome) {
      case store::Outcome::kDone:
        ++counts.done;
        break;
      case store::Outcome::kUnsupported:
        ++counts.unsupported;
        break;
      case store::Outcome::kFailed:
        ++counts.failed;
        break;
    }
    if (seen.started.time_since_epoch().count() > 0) {
      into.first = std::min(into.first.value_or(seen.started), seen.started);
      into.last = std::max(into.last.value_or(seen.started), seen.started);
    }
  }
}

void name_all(const Observed& observed, Report& into) {
  using Key = std::tuple<std::string, size_t, std::string>;
  std::set<Key> bindings;
  std::set<std::string> models;
  for (const auto& seen : observed.trials) {
    bindings.emplace(seen.scope->framework, analysis::rank_of(seen.binding), seen.axes.binding);
    models.insert(seen.axes.model);
  }
  for (const auto& [framework, rank, binding] : bindings) {
    into.bindings.push_back(binding);
  }
  into.models = {models.begin(), models.end()};
}

void take_memory(const Observed& observed, const Notes& notes, Report& into) {
  using Key = std::tuple<Group, std::string, std::string, size_t, std::string>;
  std::map<Key, std::vector<double>> found;
  for (const auto& seen : observed.trials) {
    const auto& note = notes.at(seen.identity);
    if (seen.is_done() && note.peak_memory && tasks::rules_of(seen.task).is_timed) {
      found[{group_of(*seen.scope, seen.device, into.varied),
             seen.axes.task,
             seen.scope->framework,
             analysis::rank_of(seen.binding),
             seen.axes.binding}]
          .push_back(static_cast<double>(*note.peak_memory));
    }
  }
  for (auto& [key, bytes] : found) {
    const auto& [group, task, framework, rank, binding] = key;
    into.memory.push_back({group, task, binding, spread_of(std::move(bytes))});
  }
}

void take_failures(const Observed& observed, const Notes& notes, Report& into) {
  for (const auto& seen : observed.trials) {
    if (seen.outcome == store::Outcome::kFailed) {
      const auto& note = notes.at(seen.identity);
      into.failures.push_back({seen.axes, seen.identity, note.reason, note.log, note.log_bytes});
    }
  }
}

// A study that another version of crossbind wrote may not be one that this one reads.
std::vector<std::string> cuts_in(const std::string& study) {
  std::vector<std::string> cuts;
  const auto root = config::parse(study, "");
  const toml::array* array = root ? root->get_as<toml::array>("cuts") : nullptr;
  for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
    cuts.push_back(array->get(i)->value_or(std::string()));
  }
  return cuts;
}

// What conform says of a binding is kept like a trial, and is no run of a study.
bool is_verdict_of_conform(const store::TrialSummary& trial) {
  const auto task = tasks::task_of(trial.axes);
  return task && *task == trial::Task::kConform;
}

Status take_studies(const store::StoreReader& store,
                    const std::optional<store::StudyId>& study,
                    Report& into) {
  CB_ASSIGN(const auto studies, store.studies());
  for (const auto& entry : studies) {
    if (!study || entry.id == *study) {
      CB_ASSIGN(const auto trials, store.trials(entry.id));
      const auto verdicts = std::ranges::count_if(trials, is_verdict_of_conform);
      const size_t runs = trials.size() - static_cast<size_t>(verdicts);
      if (verdicts == 0 || runs > 0) {
        into.studies.push_back(
            {entry.record.name, entry.id.sha256, runs, cuts_in(entry.record.text)});
      }
    }
  }
  std::ranges::sort(
      into.studies, {}, [](const StudyEntry& entry) { return std::tie(entry.name, entry.id); });
  return {};
}

}  // namespace

Result<Report> gather(const store::StoreReader& store,
                      const std::optional<store::StudyId>& study,
                      const std::vector<claims::NamedList>& claims,
                      const std::vector<tasks::Verdict>& filed) {
  Gathering gathering;
  CB_ASSIGN(
      const auto observed,
      analysis::observe(store, study, [&](const store::TrialRecord& trial, const auto& measured) {
        gathering.add(trial, measured);
      }));
  const Notes& notes = gathering.notes();
  Report report;
  CB_ASSIGN(report.analysis, analysis::analyze(observed));
  report.varied = report.analysis.varied;
  std::erase(report.varied, "device");  // a group has it
  CB_TRY(take_studies(store, study, report));
  count(observed, notes, report);
  name_all(observed, report);
  report.hosts = {gathering.hosts().begin(), gathering.hosts().end()};
  report.graded = grade_all(observed, notes, report);
  CB_ASSIGN(
      report.training,
      times_of(report.analysis.training_times, report.analysis.training_time_tests, report.varied));
  CB_ASSIGN(
      report.inference,
      times_of(
          report.analysis.inference_times, report.analysis.inference_time_tests, report.varied));
  report.bands = bands_of(observed, notes, report.varied);
  take_memory(observed, notes, report);
  take_failures(observed, notes, report);
  CB_ASSIGN(const auto cells, claims::cells_of(report.analysis));
  for (const auto& list : claims) {
    CB_ASSIGN(auto judged, claims::judge_all(list, cells));
    report.claims.push_back(std::move(judged));
  }
  add_conformance(observed.verdicts, filed, report);
  return report;
}

}  // namespace crossbind::report
