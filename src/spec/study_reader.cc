#include <algorithm>

#include "base/glob.h"
#include "config/table_reader.h"
#include "spec/axis_reader.h"
#include "spec/model_entry_reader.h"
#include "spec/study.h"
#include "spec/study_checks.h"
#include "tasks/rules.h"
#include "trial/binding_name.h"

namespace crossbind::spec {
namespace {

using config::Document;
using config::TableReader;
using trial::Task;

constexpr std::string_view kInitial = "initial";
constexpr std::string_view kBindingWords =
    "names such as \"pytorch/rust\", or globs such as \"pytorch/*\"";

bool is_binding_pattern(std::string_view text) {
  return is_glob(text) || trial::BindingName(text).is_whole();
}

Result<Exception> read_exception(const toml::node& node, const Document& document) {
  const auto* table = node.as_table();
  if (table == nullptr) {
    return tl::unexpected(error_at(document, node, "'except' holds something that is no table"));
  }
  TableReader reader(*table, "'except'", document);
  Exception exception;
  exception.place = config::place_of(document, node);
  for (const auto& [name, axis] : kAxes) {
    if (reader.has(name)) {
      exception.patterns[static_cast<size_t>(axis)] = reader.text(name);
    }
  }
  CB_TRY(reader.finish());
  if (table->empty()) {
    return tl::unexpected(reader.error("one of them is empty, which would remove every trial"));
  }
  return exception;
}

Result<std::vector<Exception>> read_exceptions(const toml::array* array, const Document& document) {
  std::vector<Exception> exceptions;
  if (array == nullptr) {
    return exceptions;
  }
  for (const auto& node : *array) {
    CB_ASSIGN(auto exception, read_exception(node, document));
    exceptions.push_back(std::move(exception));
  }
  return exceptions;
}

Result<RunSettings> read_run(const toml::table* table, const Document& document) {
  RunSettings run;
  if (table == nullptr) {
    return run;
  }
  TableReader reader(*table, "[run]", document);
  const auto integer = [&](std::string_view key, int64_t least, int64_t fallback) {
    return reader.has(key) ? reader.integer(key, least) : fallback;
  };
  const int64_t threads = integer("threads", 1, run.threads);
  if (constexpr int64_t kMostThreads = 4096; threads > kMostThreads) {
    reader.complain("threads", fmt::format("at most {}", kMostThreads));
  }
  run.threads = static_cast<int>(threads);
  run.warmup_steps = integer("warmup_steps", 0, run.warmup_steps);
  run.time_limit = std::chrono::seconds(integer("time_limit_s", 1, run.time_limit.count()));
  run.memory_limit_mib = integer("memory_limit_mib", 1, run.memory_limit_mib);
  CB_TRY(reader.finish());
  return run;
}

// The bindings, or none for the initial weights.
Result<std::vector<std::string>> read_inference(const toml::table* table,
                                                const Document& document) {
  std::vector<std::string> weights;
  if (table == nullptr) {
    return weights;
  }
  TableReader reader(*table, "[inference]", document);
  if (const toml::node* node = table->get("weights"); node != nullptr && node->is_array()) {
    (void)reader.has("weights");
    CB_TRY(reader.finish());
    return AxisReader(*table, document).texts("weights", is_binding_pattern, kBindingWords, {});
  }
  weights.push_back(reader.text("weights"));
  CB_TRY(reader.finish());
  if (weights.front() == kInitial) {
    weights.clear();
  }
  return weights;
}

Status read_axes(const AxisReader& axes, Study& study) {
  CB_ASSIGN(study.bindings, axes.texts("bindings", is_binding_pattern, kBindingWords, {}));
  CB_ASSIGN(study.seeds, axes.seeds("seeds"));
  CB_ASSIGN(study.shuffle_seed, axes.seed("shuffle_seed"));
  CB_ASSIGN(study.devices,
            axes.texts("devices", config::is_name, "names such as \"cpu\" and \"cuda\"", {"cpu"}));
  CB_ASSIGN(study.tasks, axes.choices<Task>("tasks", trial::kTasks, {}));
  std::ranges::sort(study.tasks);  // what trains comes before what uses it
  CB_ASSIGN(study.loaders,
            axes.choices<trial::Loader>("loaders", trial::kLoaders, {trial::Loader::kResident}));
  CB_ASSIGN(study.variants,
            axes.choices<trial::Variant>("variants", trial::kVariants, {trial::Variant::kStep}));
  CB_ASSIGN(study.measures,
            axes.choices<trial::Measure>("measures", trial::kMeasures, {trial::Measure::kTotal}));
  return {};
}

Result<Study> read_study(const toml::table& root,
                         const Document& document,
                         const FindModel& find_model) {
  Study study;
  study.place = document.place;
  TableReader reader(root, "", document);
  study.name = reader.name("name");
  study.title = reader.text("title");
  for (const std::string_view axis :
       {"bindings", "seeds", "devices", "tasks", "loaders", "variants", "measures"}) {
    (void)reader.has(axis);  // AxisReader reads them, once no key is unknown
  }
  const toml::array* exceptions = reader.has("except") ? reader.array("except") : nullptr;
  study.repeats = reader.has("repeats") ? reader.integer("repeats", 1) : 1;
  study.cuts = reader.has("cuts") ? reader.strings("cuts", 1) : std::vector<std::string>{};
  (void)reader.has("shuffle_seed");
  const auto optional_table = [&](std::string_view key) {
    return reader.has(key) ? reader.table(key) : nullptr;
  };
  const toml::table* training = optional_table("training");
  const toml::table* inference = optional_table("inference");
  const toml::table* run = optional_table("run");
  const toml::array* models = reader.array("models");
  CB_TRY(reader.finish());

  CB_TRY(read_axes(AxisReader(root, document), study));
  CB_ASSIGN(study.exceptions, read_exceptions(exceptions, document));
  CB_ASSIGN(study.run, read_run(run, document));
  CB_ASSIGN(study.inference_weights, read_inference(inference, document));
  const bool trains = std::ranges::any_of(
      study.tasks, [](Task task) -> bool { return tasks::rules_of(task).takes_steps; });
  const ModelEntryReader entry_reader(document, find_model, trains);
  TrainingKeys defaults;
  if (training != nullptr) {
    CB_ASSIGN(defaults, entry_reader.training(*training));
  }
  CB_ASSIGN(study.models, entry_reader.entries(*models, defaults));
  CB_TRY(check_study(study, root, document));
  return study;
}

}  // namespace

Result<Study> parse_study(std::string_view toml,
                          const std::string& place,
                          const FindModel& find_model) {
  CB_ASSIGN(const toml::table root, config::parse(toml, place));
  return read_study(root, {place, {}}, find_model);
}

}  // namespace crossbind::spec
