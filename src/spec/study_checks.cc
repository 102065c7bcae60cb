#include "spec/study_checks.h"

#include <algorithm>

#include "base/glob.h"
#include "spec/axis_reader.h"
#include "tasks/rules.h"
#include "trial/binding_name.h"

namespace crossbind::spec {
namespace {

using trial::Measure;
using trial::Task;
using trial::Variant;

template <typename T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

// Whether an exception removes a variant in combination with a value of another axis, whatever else
// a trial is.
bool is_removed(const Study& study, std::string_view variant, Axis other, std::string_view value) {
  return std::ranges::any_of(study.exceptions, [&](const Exception& exception) {
    return std::ranges::all_of(kAxes, [&](const auto& named) {
      const Axis axis = named.value;
      const std::string& pattern = exception[axis];
      return pattern.empty() || (axis == Axis::kVariant && matches(pattern, variant)) ||
             (axis == other && matches(pattern, value));
    });
  });
}

// Where the binding runs a step as one call, there are no parts to measure.
Status check_parts(const Study& study, const toml::table& root, const config::Document& document) {
  if (!contains(study.measures, Measure::kParts)) {
    return {};
  }
  for (const Variant variant : {Variant::kFit, Variant::kSavedModel, Variant::kGraph}) {
    const std::string_view name = name_in(trial::kVariants, variant);
    if (contains(study.variants, variant) && !is_removed(study, name, Axis::kMeasure, "parts")) {
      return tl::unexpected(error_at(
          document,
          *root.get("measures"),
          fmt::format("measure \"parts\" is impossible with variant \"{}\", whose step is one call",
                      name),
          fmt::format("Remove one, or add to 'except': {{ variant = \"{}\", measure = \"parts\" }}",
                      name)));
    }
  }
  return {};
}

// A graph is of a training step: tasks that do nothing else with it have none.
Status check_graph(const Study& study, const toml::table& root, const config::Document& document) {
  if (!contains(study.variants, Variant::kGraph)) {
    return {};
  }
  for (const Task task : study.tasks) {
    const std::string_view name = name_in(trial::kTasks, task);
    if (!tasks::rules_of(task).has_graph && !is_removed(study, "graph", Axis::kTask, name)) {
      return tl::unexpected(error_at(
          document,
          *root.get("variants"),
          fmt::format("variant \"graph\" only trains, but \"{}\" is one of the tasks", name),
          fmt::format("Remove one, or add to 'except': {{ variant = \"graph\", task = \"{}\" }}",
                      name)));
    }
  }
  return {};
}

Status check_inference(const Study& study,
                       const toml::table& root,
                       const config::Document& document) {
  const auto* inference = root.get("inference");
  if (inference == nullptr) {
    return {};
  }
  const auto wrong = [&](const toml::node& node, const std::string& message) {
    return tl::unexpected(error_at(document, node, "[inference]: " + message));
  };
  if (std::ranges::none_of(study.tasks,
                           [](Task task) -> bool { return tasks::rules_of(task).axes.weights; })) {
    return wrong(*inference, "none of the study's tasks is inference");
  }
  if (study.inference_weights.empty()) {
    return {};
  }
  const toml::node& node = *inference->as_table()->get("weights");
  for (const std::string& weights : study.inference_weights) {
    if (is_glob(weights)) {
      continue;  // what it stands for is the plan's to find out
    }
    if (!trial::BindingName(weights).is_whole()) {
      return wrong(node,
                   fmt::format("'weights' is {:?}, expected \"initial\", the names of bindings, or "
                               "globs",
                               weights));
    }
    if (std::ranges::none_of(study.bindings,
                             [&](const auto& pattern) { return matches(pattern, weights); })) {
      return wrong(node, fmt::format("'weights' is {:?}, which is not among 'bindings'", weights));
    }
  }
  if (std::ranges::none_of(study.tasks,
                           [](Task task) -> bool { return tasks::rules_of(task).feeds_others; })) {
    return wrong(node,
                 fmt::format("'weights' is {:?}, but training is none of the study's tasks",
                             study.inference_weights.front()));
  }
  return {};
}

Status check_seeds(const Study& study) {
  for (const ModelEntry& entry : study.models) {
    for (const uint32_t seed : entry.seeds) {
      if (!contains(study.seeds, seed)) {
        return tl::unexpected(Error{
            ErrorKind::kInvalid,
            fmt::format(
                "model '{}': 'seeds' holds {}, which is none of the study's", entry.label, seed),
            entry.place,
            "Add it to the study's 'seeds', or remove it here."});
      }
    }
  }
  return {};
}

}  // namespace

Status check_study(const Study& study, const toml::table& root, const config::Document& document) {
  CB_TRY(check_seeds(study));
  CB_TRY(check_parts(study, root, document));
  CB_TRY(check_graph(study, root, document));
  return check_inference(study, root, document);
}

}  // namespace crossbind::spec
