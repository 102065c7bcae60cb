#include "serve/views.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/findings.h"
#include "report/plain_text.h"
#include "report/render.h"
#include "report/sections.h"
#include "serve/json.h"
#include "serve/trial_figures.h"
#include "trial/binding_name.h"

namespace crossbind::serve {
namespace {

using report::plain_text;

// When a trial started; null for one that others measured without saying when.
Json time_json(store::Time time) {
  if (time.time_since_epoch().count() <= 0) {
    return {};
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

Json seconds_json(const std::optional<std::chrono::microseconds>& time) {
  return time ? Json(std::chrono::duration<double>(*time).count()) : Json();
}

Json texts_json(const store::NamedTexts& texts) {
  Json json = Json::object();
  for (const auto& [name, value] : texts) {
    json[plain_text(name)] = plain_text(value);
  }
  return json;
}

void add_counts(const OutcomeCounts& counts, Json& json) {
  json["trials"] = counts.all();
  json["done"] = counts.done;
  json["failed"] = counts.failed;
  json["unsupported"] = counts.unsupported;
}

template <typename Visit>
void for_each_of(const Snapshot& snapshot, const StudyView* study, const Visit& visit) {
  if (study == nullptr) {
    std::ranges::for_each(snapshot.trials, visit);
    return;
  }
  for (const uint32_t place : study->trials) {
    visit(snapshot.trials[place]);
  }
}

struct Span {
  std::optional<store::Time> first;
  std::optional<store::Time> last;

  void add(store::Time time) {
    if (time.time_since_epoch().count() > 0) {
      first = std::min(first.value_or(time), time);
      last = std::max(last.value_or(time), time);
    }
  }
};

// How many trials there are and when they ran: all, or those of a study.
Json totals_json(const Snapshot& snapshot, const StudyView* study) {
  OutcomeCounts counts;
  Span span;
  for_each_of(snapshot, study, [&](const store::TrialSummary& trial) {
    counts.add(trial.outcome);
    span.add(trial.started);
  });
  Json json;
  add_counts(counts, json);
  std::optional<size_t> planned = study != nullptr ? study->planned : std::nullopt;
  json["planned"] = or_null(planned);
  json["first"] = span.first ? time_json(*span.first) : Json();
  json["last"] = span.last ? time_json(*span.last) : Json();
  return json;
}

Json study_entry(const Snapshot& snapshot, const StudyView& view) {
  Json json = {{"id", view.study.id.sha256}, {"name", plain_text(view.study.record.name)}};
  json.update(totals_json(snapshot, &view));
  return json;
}

Json summary_json(const store::TrialSummary& trial) {
  Json json = {{"identity", trial.identity}};
  for (const auto& axis : store::kTextAxes) {
    json[std::string(axis.name)] = plain_text(trial.axes.*axis.field);
  }
  json["seed"] = trial.axes.seed;
  json["repeat"] = trial.axes.repeat;
  json["outcome"] = store::name_of(trial.outcome);
  json["reason"] = plain_text(trial.reason);
  json["started"] = time_json(trial.started);
  json["wall"] = seconds_json(trial.wall);
  json["user"] = seconds_json(trial.user);
  json["system"] = seconds_json(trial.system);
  json["peak_memory"] = or_null(trial.peak_memory);
  return json;
}

Json cells_json(const Snapshot& snapshot, const StudyView* study) {
  std::map<std::pair<std::string, std::string>, OutcomeCounts> cells;
  for_each_of(snapshot, study, [&](const store::TrialSummary& trial) {
    cells[{trial.axes.binding, trial.axes.model}].add(trial.outcome);
  });
  Json json = Json::array();
  for (const auto& [key, counts] : cells) {
    Json cell = {{"binding", plain_text(key.first)}, {"model", plain_text(key.second)}};
    add_counts(counts, cell);
    json.push_back(std::move(cell));
  }
  return json;
}

// The values that trials have on each axis, for choosing among them.
Json axes_json(const Snapshot& snapshot, const StudyView* study) {
  std::map<std::string_view, std::set<std::string>> values;
  for_each_of(snapshot, study, [&](const store::TrialSummary& trial) {
    for (const auto& axis : store::kTextAxes) {
      values[axis.name].insert(plain_text(trial.axes.*axis.field));
    }
  });
  Json json = Json::object();
  for (const auto& axis : store::kTextAxes) {
    json[std::string(axis.name)] = values[axis.name];
  }
  return json;
}

// The binding that others are held against until somebody chooses another: a framework's Python.
Json baseline_of(const Json& bindings) {
  const auto found = std::ranges::find_if(bindings, [](const Json& binding) {
    return trial::BindingName(binding.get<std::string>()).language() == analysis::kBaseline;
  });
  if (found != bindings.end()) {
    return *found;
  }
  return bindings.empty() ? Json() : bindings.front();
}

Json settings_json(const std::vector<store::Setting>& settings) {
  Json json = Json::array();
  for (const auto& setting : settings) {
    json.push_back({{"name", plain_text(setting.name)},
                    {"requested", plain_text(setting.requested)},
                    {"effective", plain_text(setting.effective)}});
  }
  return json;
}

Json curve_json(const std::vector<store::EpochPoint>& curve) {
  Json json = Json::array();
  for (const auto& point : curve) {
    json.push_back({{"epoch", point.epoch},
                    {"loss", or_null(point.loss)},
                    {"train_accuracy", or_null(point.train_accuracy)},
                    {"test_accuracy", or_null(point.test_accuracy)}});
  }
  return json;
}

Json series_json(const std::vector<store::Series>& all) {
  Json json = Json::array();
  for (const auto& series : all) {
    const auto shown = static_cast<ptrdiff_t>(std::min(series.values.size(), kMostValues));
    json.push_back(
        {{"metric", plain_text(series.metric)},
         {"epoch", series.epoch},
         {"n", series.values.size()},
         {"values", std::vector<double>(series.values.begin(), series.values.begin() + shown)}});
  }
  return json;
}

Json studies_of(const Snapshot& snapshot, const std::string& identity) {
  Json json = Json::array();
  for (const auto& view : snapshot.studies) {
    const bool has_it = std::ranges::any_of(
        view.trials, [&](uint32_t place) { return snapshot.trials[place].identity == identity; });
    if (has_it) {
      json.push_back({{"id", view.study.id.sha256}, {"name", plain_text(view.study.record.name)}});
    }
  }
  return json;
}

// Where the end of a log begins that is shown.
size_t end_of(const std::string& log) {
  return log.size() <= kMostLogShown ? 0 : log.size() - kMostLogShown;
}

Json compared_json(const std::vector<ComparedSamples>& all,
                   const std::vector<std::string>& varied) {
  Json json = Json::array();
  for (const auto& compared : all) {
    const auto& found = compared.comparison;
    const auto& interval = found.ratio_interval;
    json.push_back({{"what", compared.what},
                    {"where", plain_text(report::title_of(compared.group, varied))},
                    {"n_a", found.n_a},
                    {"n_b", found.n_b},
                    {"median_a", found.median_a},
                    {"median_b", found.median_b},
                    {"ratio", or_null(found.ratio)},
                    {"ratio_low", interval ? Json(interval->low) : Json()},
                    {"ratio_high", interval ? Json(interval->high) : Json()},
                    {"noise", or_null(compared.noise)},
                    {"above_noise", compared.is_above_noise},
                    {"verdict", analysis::to_string(compared.difference())},
                    {"p", found.test.p},
                    {"p_adjusted", compared.p_adjusted},
                    {"smallest_p", found.smallest_p},
                    {"cliffs_delta", found.cliffs_delta},
                    {"effect", stats::to_string(found.effect)}});
  }
  return json;
}

std::string with_figures(const Json& json, const report::Document& document) {
  std::string text = text_of(json);
  text.pop_back();
  return text + ",\"figures\":" + report::figures_json(document) + "}";
}

}  // namespace

std::string studies_json(const Snapshot& snapshot) {
  Json json = {{"version", snapshot.version}, {"studies", Json::array()}};
  for (const auto& view : snapshot.studies) {
    json["studies"].push_back(study_entry(snapshot, view));
  }
  return text_of(json);
}

std::string study_json(const Snapshot& snapshot, const StudyView& study) {
  Json json = {{"version", snapshot.version}};
  json.update(study_entry(snapshot, study));
  json["text"] = plain_text(study.study.record.text);
  return text_of(json);
}

std::string progress_json(const Snapshot& snapshot, const StudyView* study) {
  Json json = {{"version", snapshot.version}};
  json.update(totals_json(snapshot, study));
  json["cells"] = cells_json(snapshot, study);
  json["axes"] = axes_json(snapshot, study);
  json["usual_binding"] = baseline_of(json["axes"]["binding"]);
  return text_of(json);
}

std::string change_json(const Snapshot& snapshot) {
  Json json = {{"version", snapshot.version}};
  json.update(totals_json(snapshot, nullptr));
  json["studies"] = snapshot.studies.size();
  return text_of(json);
}

std::string trials_json(const Snapshot& snapshot, const TrialPage& page) {
  Json json = {{"version", snapshot.version},
               {"total", page.total},
               {"offset", page.offset},
               {"limit", page.limit},
               {"trials", Json::array()}};
  for (const uint32_t place : page.places) {
    json["trials"].push_back(summary_json(snapshot.trials[place]));
  }
  return text_of(json);
}

std::string trial_json(const Snapshot& snapshot, const store::TrialRecord& trial) {
  Json json = summary_json(trial);
  json["studies"] = studies_of(snapshot, trial.identity);
  json["settings"] = settings_json(trial.settings);
  json["curve"] = curve_json(trial.curve);
  json["series"] = series_json(trial.series);
  json["facts"] = texts_json(trial.facts);
  json["host"] = texts_json(trial.host);
  json["worker"] = texts_json(trial.worker);
  json["log"] = plain_text(trial.log.substr(end_of(trial.log)));
  json["log_from"] = end_of(trial.log);
  json["log_bytes"] = trial.log.size();
  return with_figures(json, figures_of(trial));
}

std::string comparison_json(const ComparisonView& view) {
  Json json = {{"version", view.version},
               {"a", plain_text(view.a)},
               {"b", plain_text(view.b)},
               {"verdicts", Json::array()}};
  for (const auto& grades : view.compared.grades) {
    json["verdicts"].push_back({{"model", plain_text(grades.model)},
                                {"a", name_in(report::kGrades, grades.a)},
                                {"b", name_in(report::kGrades, grades.b)}});
  }
  json["times"] = compared_json(view.compared.times, view.varied);
  json["scores"] = compared_json(view.compared.scores, view.varied);
  json["html"] = report::sections_html(view.document);
  return with_figures(json, view.document);
}

}  // namespace crossbind::serve
