#include "serve/routes.h"

#include <algorithm>

#include "report/plain_text.h"
#include "serve/json.h"
#include "serve/query.h"
#include "serve/views.h"

namespace crossbind::serve {
namespace {

constexpr int64_t kFewTrials = 50;
constexpr int64_t kFarthest = 1'000'000'000;  // trial of a list
constexpr const char* kNoStore = "no-store";

struct Call {
  const Request& request;
  const Site& site;
  std::string part;  // what stands for {…} in the path
  Query query;
};

using Handler = Result<Response> (*)(const Call&);

struct Route {
  RouteEntry entry;
  Handler handle;
};

Response not_found() {
  return problem(404, "there is nothing here; /api/v1/openapi.json lists what there is");
}

Result<const StudyView*> study_in(const Snapshot& snapshot, const std::optional<std::string>& id) {
  if (!id) {
    return nullptr;
  }
  const auto* study = snapshot.find_study(*id);
  if (study == nullptr) {
    return fail(ErrorKind::kNotFound, "the store has no study '{}'", *id);
  }
  return study;
}

// ---- studies and trials ----

Result<Response> session(const Call& call) {
  return call.site.access.open_session();
}

Result<Response> studies(const Call& call) {
  return json_response(studies_json(*call.site.live.read()));
}

Result<Response> one_study(const Call& call) {
  const auto reading = call.site.live.read();
  CB_ASSIGN(const auto* study, study_in(*reading, call.part));
  return json_response(study_json(*reading, *study));
}

Result<Response> progress(const Call& call) {
  const auto reading = call.site.live.read();
  CB_ASSIGN(const auto* study, study_in(*reading, call.query.text("study")));
  return json_response(progress_json(*reading, study));
}

// What a list of trials is narrowed to.
class TrialFilter {
 public:
  [[nodiscard]] static Result<TrialFilter> read(const Query& query) {
    TrialFilter filter;
    for (const auto& axis : store::kTextAxes) {
      if (auto value = query.text(axis.name)) {
        filter.axes_.emplace_back(axis, std::move(*value));
      }
    }
    CB_ASSIGN(const auto name,
              query.one_of("outcome", "any", {"done", "failed", "unsupported", "any"}));
    filter.outcome_ = store::outcome_from(name);
    filter.text_ = query.text("text").value_or("");
    return filter;
  }

  [[nodiscard]] bool takes(const store::TrialSummary& trial) const {
    const bool has_axes = std::ranges::all_of(axes_, [&](const auto& wanted) {
      return report::plain_text(trial.axes.*wanted.first.field) == wanted.second;
    });
    return has_axes && (!outcome_ || trial.outcome == *outcome_) &&
           (text_.empty() || trial.identity.starts_with(text_) ||
            report::plain_text(trial.reason).find(text_) != std::string::npos);
  }

 private:
  std::vector<std::pair<store::TextAxis, std::string>> axes_;
  std::optional<store::Outcome> outcome_;
  std::string text_;
};

std::vector<uint32_t> places_of(const Snapshot& snapshot, const StudyView* study) {
  if (study != nullptr) {
    return study->trials;
  }
  std::vector<uint32_t> all(snapshot.trials.size());
  for (uint32_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  return all;
}

Result<Response> trials(const Call& call) {
  const auto reading = call.site.live.read();
  CB_ASSIGN(const auto* study, study_in(*reading, call.query.text("study")));
  CB_ASSIGN(const auto filter, TrialFilter::read(call.query));
  CB_ASSIGN(const auto offset, call.query.number("offset", 0, 0, kFarthest));
  CB_ASSIGN(const auto limit, call.query.number("limit", kFewTrials, 1, kMostTrials));
  CB_ASSIGN(const auto order, call.query.one_of("order", "newest", {"newest", "oldest"}));
  auto places = places_of(*reading, study);
  if (order == "newest") {
    std::ranges::reverse(places);
  }
  std::erase_if(places, [&](uint32_t place) { return !filter.takes(reading->trials[place]); });
  TrialPage page;
  page.total = places.size();
  page.offset = static_cast<size_t>(offset);
  page.limit = static_cast<size_t>(limit);
  const size_t first = std::min(page.offset, places.size());
  const size_t last = std::min(first + page.limit, places.size());
  page.places.assign(places.begin() + static_cast<ptrdiff_t>(first),
                     places.begin() + static_cast<ptrdiff_t>(last));
  return json_response(trials_json(*reading, page));
}

Result<store::TrialRecord> trial_of(const Call& call) {
  CB_ASSIGN(const auto store, call.site.live.open());
  CB_ASSIGN(auto trial, store->find_trial(call.part));
  if (!trial) {
    return fail(ErrorKind::kNotFound, "the store has no trial '{}'", call.part);
  }
  return std::move(*trial);
}

Result<Response> one_trial(const Call& call) {
  CB_ASSIGN(const auto trial, trial_of(call));
  return json_response(trial_json(*call.site.live.read(), trial));
}

Result<Response> trial_log(const Call& call) {
  CB_ASSIGN(const auto trial, trial_of(call));
  return Response{200, "text/plain; charset=utf-8", report::plain_text(trial.log), {}, false};
}

// ---- what a report is needed for ----

template <typename Use>
Result<Response> with_report(const Call& call, const Use& use) {
  const auto id = call.query.text("study");
  {
    const auto reading = call.site.live.read();
    CB_TRY(study_in(*reading, id));
  }
  const auto report = call.site.reports.find(id.value_or(""));
  if (report) {
    return use(*report.operator->());
  }
  if (!report.failure().empty()) {
    return problem(503, report.failure());
  }
  // Not an error: it was taken as a wish, and is there a moment later.
  return Response{202,
                  "application/json",
                  text_of({{"detail", "the report is being made: ask again in a second"}}),
                  {{"Retry-After", "1"}},
                  false};
}

Result<Response> whole_report(const Call& call) {
  return with_report(call, [](const MadeReport& made) { return json_response(made.page); });
}

Result<Response> figures(const Call& call) {
  return with_report(call, [](const MadeReport& made) { return json_response(made.figures); });
}

Result<Response> table(const Call& call) {
  return with_report(call, [&](const MadeReport& made) {
    const auto found = std::ranges::find(made.tables, call.part + ".csv", &report::File::name);
    return found == made.tables.end()
               ? problem(404, fmt::format("the report has no table '{}'", call.part))
               : Response{200, "text/csv; charset=utf-8", found->text, {}, false};
  });
}

Result<Response> comparison(const Call& call) {
  CB_ASSIGN(const auto a, call.query.needed("a"));
  CB_ASSIGN(const auto b, call.query.needed("b"));
  return with_report(call, [&](const MadeReport& made) -> Response {
    auto compared = compare_bindings(made.report, a, b);
    if (!compared) {
      return problem(compared.error());
    }
    return json_response(comparison_json({a,
                                          b,
                                          std::move(*compared),
                                          document_of_two(made.report, a, b),
                                          made.report.varied,
                                          made.version}));
  });
}

// ---- events ----

Result<Response> events(const Call& call) {
  Response response{200, "text/event-stream", "", {{"Cache-Control", kNoStore}}, false};
  if (call.request.method == "HEAD") {
    return response;
  }
  if (!call.site.seats.take()) {
    return problem(503, "as many listen to events as may", {"Retry-After", "10"});
  }
  response.is_stream = true;
  response.body = "retry: 2000\n\n" + change_event(*call.site.live.read());
  return response;
}

const std::vector<Route>& routes() {
  static const std::vector<Route> all = {
      {{"/api/v1/session", {}}, session},
      {{"/api/v1/studies", {}}, studies},
      {{"/api/v1/studies/{study}", {}}, one_study},
      {{"/api/v1/progress", {"study"}}, progress},
      {{"/api/v1/trials",
        {"study",
         "binding",
         "model",
         "dataset",
         "device",
         "task",
         "loader",
         "variant",
         "measure",
         "weights",
         "outcome",
         "text",
         "order",
         "offset",
         "limit"}},
       trials},
      {{"/api/v1/trials/{identity}", {}}, one_trial},
      {{"/api/v1/trials/{identity}/log", {}}, trial_log},
      {{"/api/v1/report", {"study"}}, whole_report},
      {{"/api/v1/figures", {"study"}}, figures},
      {{"/api/v1/tables/{table}", {"study"}}, table},
      {{"/api/v1/comparison", {"a", "b", "study"}}, comparison},
      {{"/api/v1/events", {}}, events},
  };
  return all;
}

// What stands for {…}, which is not empty and has no slash; none where the path is another one.
std::optional<std::string> part_of(std::string_view path, std::string_view pattern) {
  const size_t open = pattern.find('{');
  if (open == std::string_view::npos) {
    return path == pattern ? std::optional<std::string>("") : std::nullopt;
  }
  const std::string_view before = pattern.substr(0, open);
  const std::string_view after = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after)) {
    return std::nullopt;
  }
  const auto part = path.substr(before.size(), path.size() - before.size() - after.size());
  return part.find('/') == std::string_view::npos ? std::optional<std::string>(part) : std::nullopt;
}

Response api_answer(const Request& request, const Site& site) {
  for (const auto& [entry, handle] : routes()) {
    auto part = part_of(request.path, entry.pattern);
    if (!part) {
      continue;
    }
    const auto query = Query::read(request, entry.parameters);
    if (!query) {
      return problem(query.error());
    }
    auto response = handle({request, site, std::move(*part), *query});
    if (!response) {
      return problem(response.error());
    }
    return std::move(*response);
  }
  return not_found();
}

// The dashboard is one page, whose script shows what its address names.
bool is_page(std::string_view path) {
  return path == "/" || path == "/trials" || path == "/report" || path == "/compare" ||
         part_of(path, "/trials/{identity}") || part_of(path, "/studies/{study}");
}

Response file_answer(const Request& request, const Site& site) {
  const std::string path = is_page(request.path) ? "/" : request.path;
  const auto found = std::ranges::find(site.files, path, &File::path);
  if (found == site.files.end()) {
    return not_found();
  }
  const std::vector<Header> headers = {{"Cache-Control", "no-cache"}, {"ETag", found->tag}};
  if (request.known_tag == found->tag) {
    return {304, "", "", headers, false};
  }
  return {200, found->type, std::string(found->bytes), headers, false};
}

}  // namespace

bool Seats::take() {
  if (++taken_ > most_) {
    --taken_;
    return false;
  }
  return true;
}

Response answer(const Request& request, const Site& site) {
  if (request.method != "GET" && request.method != "HEAD") {
    return only_reads();
  }
  if (auto refused = site.access.refuse_host(request)) {
    return std::move(*refused);
  }
  if (!request.path.starts_with("/api/")) {
    return file_answer(request, site);
  }
  if (auto refused = site.access.refuse_stranger(request)) {
    return std::move(*refused);
  }
  Response file = file_answer(request, site);
  Response response = file.status == 404 ? api_answer(request, site) : std::move(file);
  const bool has_policy = std::ranges::any_of(
      response.headers, [](const Header& header) { return header.name == "Cache-Control"; });
  if (!has_policy) {
    response.headers.push_back({"Cache-Control", kNoStore});
  }
  return response;
}

std::vector<RouteEntry> api_routes() {
  std::vector<RouteEntry> entries;
  entries.reserve(routes().size());
  for (const auto& route : routes()) {
    entries.push_back(route.entry);
  }
  return entries;
}

std::string event_text(std::string_view name, uint64_t id, std::string_view json) {
  return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, id, json);
}

std::string change_event(const Snapshot& snapshot) {
  return event_text("change", snapshot.version, change_json(snapshot));
}

std::string report_event(const Reports::Made& made) {
  const Json json = {{"study", made.study}, {"version", made.version}};
  return event_text("report", made.version, text_of(json));
}

}  // namespace crossbind::serve
