#include "app/study_run.h"

#include <algorithm>

#include "app/ready_bindings.h"
#include "app/workplace.h"
#include "store/open.h"

namespace crossbind::app {
namespace {

size_t count_of(const plan::Plan& plan, plan::Decision decision) {
  return static_cast<size_t>(std::ranges::count(plan.trials, decision, &plan::Trial::decision));
}

}  // namespace

store::Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

Result<PlannedStudy> plan_in_store(StudyOnMachine& found,
                                   const std::string& store_place,
                                   const Machine& machine) {
  PlannedStudy planned;
  CB_ASSIGN(const bool is_there, store::exists(store_place));
  if (is_there) {
    CB_ASSIGN(planned.store, store::open(store_place));
    CB_TRY(add_past(*planned.store, machine.cache, found.facts));
  }
  CB_ASSIGN(planned.plan, plan::make_plan(found.study, found.facts));
  if (!planned.store) {
    CB_ASSIGN(planned.store, store::open(store_place));
  }
  return planned;
}

Result<plan::Plan> plan_by_store(StudyOnMachine& found,
                                 const std::string& store_place,
                                 const Machine& machine) {
  CB_ASSIGN(const bool is_there, store::exists(store_place));
  if (is_there) {
    CB_ASSIGN(const auto store, store::open_for_reading(store_place));
    CB_TRY(add_past(*store, machine.cache, found.facts));
  }
  return plan::make_plan(found.study, found.facts);
}

Result<run::RunSummary> run_planned(const StudyOnMachine& found,
                                    const PlannedStudy& planned,
                                    const RunManner& manner,
                                    const Machine& machine,
                                    const process::StopSignal& stop,
                                    run::RunWatch& watch) {
  CB_ASSIGN(const Starts starts, starts_of(found.bindings, machine.workers));
  CB_ASSIGN(
      const auto workplace,
      Workplace::open(machine, "run", manner.tcp ? place::Reach::kTcp : place::Reach::kUsual));
  run::Materials materials(workplace->scratch(), machine.cache);
  const run::RunContext context{found.study,
                                planned.plan,
                                starts.commands,
                                starts.capabilities,
                                *planned.store,
                                workplace->launcher(),
                                materials,
                                stop,
                                watch};
  return run::run_study(context, {manner.jobs, found.text, workplace->environment(), now});
}

RunBalance balance_of(const run::RunSummary& summary, const plan::Plan& plan) {
  RunBalance balance{
      .done_before = count_of(plan, plan::Decision::kDone),
      .failed_before = count_of(plan, plan::Decision::kFailed),
      .could_not_run = count_of(plan, plan::Decision::kUnavailable) + summary.not_run};
  balance.is_complete = summary.failed + balance.failed_before + balance.could_not_run == 0;
  return balance;
}

}  // namespace crossbind::app
