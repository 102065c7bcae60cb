#include "cli/displayed_run.h"

#include "app/signal_scope.h"
#include "cli/run_display.h"

namespace crossbind::cli {

Result<DisplayedRun> run_with_display(app::StudyOnMachine& found,
                                      const std::string& store,
                                      const app::RunManner& manner,
                                      const app::Machine& machine) {
  CB_ASSIGN(auto planned, app::plan_in_store(found, store, machine));
  // Only now is there something to end in order.
  process::StopSignal stop;
  const app::SignalScope signals(stop);
  RunDisplay display(run::trials_to_run(planned.plan), manner.jobs);
  auto summary = app::run_planned(found, planned, manner, machine, stop, display);
  display.close();
  if (!summary) {
    return tl::unexpected(std::move(summary).error());
  }
  return DisplayedRun{std::move(planned), *summary, stop.is_raised()};
}

}  // namespace crossbind::cli
