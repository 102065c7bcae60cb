#include "app/planned_trials.h"

#include <algorithm>

#include "app/study_facts.h"
#include "base/progress.h"
#include "plan/plan.h"

namespace crossbind::app {
namespace {

Result<size_t> count(const store::StudyRecord& record, const Machine& machine) {
  // Where the study's file was is not known, and no file is read that a store names.
  const auto find = [&](const std::string& name, model::Geometry geometry) -> Result<model::Model> {
    if (name.ends_with(".toml")) {
      return fail(ErrorKind::kUnsupported, "the model {} is a file", name);
    }
    return model::find_model(name, machine.models, geometry);
  };
  CB_ASSIGN(auto study, spec::parse_study(record.text, record.name, find));
  CB_ASSIGN(auto bindings, workers::list_bindings(machine.workers));
  StudyOnMachine found{std::move(study), record.text, std::move(bindings), {}};
  SilentProgress silence;
  CB_TRY(look_up_facts({}, MissingData::kLeave, machine, silence, found));
  CB_ASSIGN(const auto plan, plan::make_plan(found.study, found.facts));
  return static_cast<size_t>(std::ranges::count_if(plan.trials, [](const plan::Trial& trial) {
    return plan::is_run(trial.decision) || trial.decision == plan::Decision::kUnsupported;
  }));
}

}  // namespace

std::optional<size_t> planned_trials(const store::StudyRecord& study, const Machine& machine) {
  const auto counted = count(study, machine);
  return counted ? std::optional(*counted) : std::nullopt;
}

}  // namespace crossbind::app
