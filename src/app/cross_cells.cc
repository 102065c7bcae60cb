#include "app/cross_cells.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "tasks/rules.h"

namespace crossbind::app {
namespace {

using plan::Plan;
using plan::Trial;
using trial::Task;

constexpr const char* kNotTrained = "it does not train, or does not save what it trains";
constexpr const char* kOtherFramework = "a serialized model stays within its framework";

class Cells {
 public:
  Cells(const spec::Study& study, const Plan& plan, const store::StoreReader& store)
      : study_(study),
        plan_(plan),
        store_(store) {
    for (const Trial& trial : plan.trials) {
      const plan::Condition& condition = plan.condition_of(trial);
      if (tasks::rules_of(condition.task).axes.weights) {
        trials_[{condition.model, condition.task, condition.weights, trial.binding}] = &trial;
        feeders_.insert(condition.weights);
      }
    }
  }

  [[nodiscard]] Result<std::vector<CrossCell>> make() const {
    std::vector<CrossCell> cells;
    for (size_t model = 0; model < study_.models.size(); ++model) {
      for (const Task task : study_.tasks) {
        if (!tasks::rules_of(task).axes.weights) {
          continue;
        }
        for (size_t row = 0; row < plan_.bindings.size(); ++row) {
          for (size_t column = 0; column < plan_.bindings.size(); ++column) {
            CB_ASSIGN(auto answers, answers_of({model, task, row, column}));
            const spec::ModelEntry& entry = study_.models[model];
            cells.push_back({entry.label,
                             entry.model.dataset,
                             task,
                             plan_.bindings[row],
                             plan_.bindings[column],
                             std::move(answers)});
          }
        }
      }
    }
    return cells;
  }

 private:
  using Place = std::tuple<size_t, Task, size_t, size_t>;

  [[nodiscard]] Result<ComparedAnswers> answers_of(const Place& place) const {
    const auto found = trials_.find(place);
    if (found == trials_.end()) {
      const bool feeds = feeders_.contains(std::get<2>(place));
      return ComparedAnswers{.sameness = Sameness::kUnsupported,
                             .reason = feeds ? kOtherFramework : kNotTrained};
    }
    const Trial& trial = *found->second;
    CB_ASSIGN(const auto record, store_.find_trial(trial.id.to_string()));
    if (record) {
      return compared_answers(*record);
    }
    return without_record(trial);
  }

  // A model that X cannot train is unsupported in X's row, not something that could not be tried.
  [[nodiscard]] Result<ComparedAnswers> without_record(const Trial& trial) const {
    CB_ASSIGN(const auto training, store_.find_trial(plan_.trials[trial.source].id.to_string()));
    if (training && training->outcome != store::Outcome::kDone) {
      const bool failed = training->outcome == store::Outcome::kFailed;
      return ComparedAnswers{
          .sameness = failed ? Sameness::kNotRun : Sameness::kUnsupported,
          .reason = fmt::format(
              "its training {}: {}", failed ? "failed" : "is unsupported", training->reason)};
    }
    const bool was_planned = plan::is_run(trial.decision);
    return ComparedAnswers{.sameness = Sameness::kNotRun,
                           .reason = was_planned ? "interrupted" : plan_.reason_of(trial)};
  }

  const spec::Study& study_;
  const Plan& plan_;
  const store::StoreReader& store_;
  std::map<Place, const Trial*> trials_;
  std::set<size_t> feeders_;  // bindings
};

}  // namespace

Result<std::vector<CrossCell>> cross_cells(const spec::Study& study,
                                           const Plan& plan,
                                           const store::StoreReader& store) {
  return Cells(study, plan, store).make();
}

}  // namespace crossbind::app
