#include "cli/planned_trials.h"

#include <algorithm>

#include "cli/resources.h"
#include "cli/study_facts.h"
#include "plan/plan.h"

namespace crossbind::cli {
namespace {

Result<size_t> count(const store::StudyRecord& record) {
  // Where the study's file was is not known, and no file is read that a store names.
  const auto find = [](const std::string& name, model::Geometry geometry) -> Result<model::Model> {
    if (name.ends_with(".toml")) {
      return fail(ErrorKind::kUnsupported, "the model {} is a file", name);
    }
    return model::find_model(name, resource_folder("models"), geometry);
  };
  CB_ASSIGN(auto study, spec::parse_study(record.text, record.name, find));
  CB_ASSIGN(auto bindings, workers::list_bindings(worker_places()));
  CB_ASSIGN(const auto found,
            look_up_study(
                {std::move(study), record.text, std::move(bindings), {}}, {}, MissingData::kLeave));
  CB_ASSIGN(const auto plan, plan::make_plan(found.study, found.facts));
  return static_cast<size_t>(std::ranges::count_if(plan.trials, [](const plan::Trial& trial) {
    return plan::is_run(trial.decision) || trial.decision == plan::Decision::kUnsupported;
  }));
}

}  // namespace

std::optional<size_t> planned_trials(const store::StudyRecord& study) {
  const auto counted = count(study);
  return counted ? std::optional(*counted) : std::nullopt;
}

}  // namespace crossbind::cli
