#include "plan/decide.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "tasks/missing.h"
#include "tasks/rules.h"

namespace crossbind::plan {
namespace {

using spec::Study;
using trial::Task;

struct NotedDecision {
  Decision decision = Decision::kRun;
  uint32_t note = 0;  // as in Trial
};

class Decider {
 public:
  Decider(const Study& study, const Facts& facts, const Matrix& matrix, Plan& plan)
      : study_(study),
        facts_(facts),
        matrix_(matrix),
        plan_(plan) {
    find_obstacles();
    find_wanted();
  }

  [[nodiscard]] Status decide_all() {
    bool any_trial_wanted = !by_trial_;
    for (Trial& trial : plan_.trials) {
      const NotedDecision decided =
          is_wanted(trial) ? decide(trial) : NotedDecision{Decision::kExcluded, 0};
      trial.decision = decided.decision;
      trial.note = decided.note;
      any_trial_wanted = any_trial_wanted || decided.decision != Decision::kExcluded;
    }
    if (!any_trial_wanted) {
      return fail(ErrorKind::kNotFound, "--only trial=... matches no trial of the study");
    }
    return {};
  }

 private:
  // The number of a text among the plan's notes.
  uint32_t note(std::string text) {
    const auto [place, is_new] =
        numbers_.emplace(std::move(text), static_cast<uint32_t>(plan_.notes.size()));
    if (is_new) {
      plan_.notes.push_back(place->first);
    }
    return place->second;
  }

  // Why a binding cannot take part in a condition, whatever the seed; nothing when it can.
  std::optional<NotedDecision> find_obstacle(const Condition& condition, uint16_t number) {
    const BindingFacts& binding = *matrix_.bindings[number];
    const DatasetFacts& dataset = *matrix_.datasets[condition.model];
    if (!binding.unavailable.empty() || !binding.capabilities) {
      return NotedDecision{
          Decision::kUnavailable,
          note(binding.unavailable.empty() ? "there is no worker yet" : binding.unavailable)};
    }
    if (!dataset.unavailable.empty()) {
      return NotedDecision{Decision::kUnavailable, note(dataset.unavailable)};
    }
    if (condition.weights == kSuppliedWeights) {
      const auto supplied = facts_.supplied.find(study_.models[condition.model].parameters);
      if (supplied == facts_.supplied.end() || !supplied->second.unavailable.empty()) {
        return NotedDecision{
            Decision::kUnavailable,
            note(supplied == facts_.supplied.end() ? "nothing is known of its parameters"
                                                   : supplied->second.unavailable)};
      }
    }
    if (const auto missing = tasks::missing_setting(
            *binding.capabilities, condition.task, settings_of(study_, condition, 0))) {
      return NotedDecision{Decision::kUnsupported, note(*missing)};
    }
    if (tasks::is_serialized(condition.task, condition.variant)) {
      return find_obstacle_to_serialize(condition, number);  // the model brings its own layers
    }
    const auto [place, is_new] =
        missing_of_model_.try_emplace({number, condition.model, condition.task});
    if (is_new) {
      place->second = tasks::missing_of_model(
          *binding.capabilities, study_.models[condition.model].model, condition.task);
    }
    if (place->second) {
      return NotedDecision{Decision::kUnsupported, note(*place->second)};
    }
    return std::nullopt;
  }

  std::optional<NotedDecision> find_obstacle_to_serialize(const Condition& condition,
                                                          uint16_t number) {
    const BindingFacts* serializer = matrix_.serializers[number];
    if (serializer == nullptr) {
      return NotedDecision{Decision::kUnavailable,
                           note("no binding of this framework serializes models")};
    }
    if (!serializer->unavailable.empty()) {
      return NotedDecision{Decision::kUnavailable,
                           note(fmt::format("{} serializes the model, but is not ready: {}",
                                            serializer->name,
                                            serializer->unavailable))};
    }
    const bool takes_steps = tasks::rules_of(condition.task).takes_steps;
    const auto& able = *serializer->capabilities;
    if (takes_steps && std::ranges::find(able.variants, condition.variant) == able.variants.end()) {
      return NotedDecision{
          Decision::kUnsupported,
          note(fmt::format("{} serializes models, but not their training", serializer->name))};
    }
    if (const auto missing =
            tasks::missing_of_graph(able, study_.models[condition.model].model, takes_steps)) {
      return NotedDecision{Decision::kUnsupported,
                           note(fmt::format("serialized by {}: {}", serializer->name, *missing))};
    }
    return std::nullopt;
  }

  void find_obstacles() {
    obstacles_.resize(matrix_.rows.size() * matrix_.bindings.size());
    for (size_t i = 0; i < matrix_.rows.size(); ++i) {
      for (const uint16_t binding : matrix_.rows[i].bindings) {
        obstacles_[i * matrix_.bindings.size() + binding] =
            find_obstacle(matrix_.rows[i].condition, binding);
      }
    }
  }

  [[nodiscard]] const std::optional<NotedDecision>& obstacle_of(const Trial& trial) const {
    const size_t row = plan_.block_of(trial).condition;
    return obstacles_[row * matrix_.bindings.size() + trial.binding];
  }

  [[nodiscard]] const DatasetFacts& dataset_of(const Trial& trial) const {
    return *matrix_.datasets[plan_.condition_of(trial).model];
  }

  // What --only lets through, for all that does not differ from trial to trial.
  void find_wanted() {
    for (const auto* binding : matrix_.bindings) {
      binding_wanted_.push_back(lets_through(facts_.only, "binding", binding->name));
    }
    for (const Row& row : matrix_.rows) {
      const auto names = names_of(study_, matrix_.bindings, row.condition);
      row_wanted_.push_back(std::ranges::all_of(spec::kAxes, [&](const auto& axis) {
        return axis.value == spec::Axis::kBinding ||
               lets_through(facts_.only, axis.name, names[static_cast<size_t>(axis.value)]);
      }));
    }
    by_block_ = std::ranges::any_of(
        facts_.only, [](const Only& only) { return only.key == "seed" || only.key == "repeat"; });
    by_trial_ =
        std::ranges::any_of(facts_.only, [](const Only& only) { return only.key == "trial"; });
  }

  [[nodiscard]] bool is_wanted(const Trial& trial) const {
    const Block& block = plan_.block_of(trial);
    if (!binding_wanted_[trial.binding] || !row_wanted_[block.condition]) {
      return false;
    }
    if (by_block_ && (!lets_through(facts_.only, "seed", std::to_string(block.seed)) ||
                      !lets_through(facts_.only, "repeat", std::to_string(block.repeat)))) {
      return false;
    }
    return !by_trial_ || lets_through(facts_.only, "trial", trial.id.to_string());
  }

  NotedDecision decide(const Trial& trial) {
    const NotedDecision decided = decide_alone(trial);
    if (!is_run(decided.decision) || trial.source == kNoSource) {
      return decided;
    }
    const auto lack = want_parameters(plan_.trials[trial.source]);
    return lack ? *lack : decided;
  }

  NotedDecision decide_alone(const Trial& trial) {
    const auto past = facts_.past.find(trial.id);
    const bool is_known = past != facts_.past.end();
    if (is_known && past->second.state == PastState::kDone) {
      return {Decision::kDone, 0};
    }
    if (is_known && past->second.state == PastState::kUnsupported) {
      return {Decision::kDone, note("unsupported: " + past->second.reason)};
    }
    if (const auto& obstacle = obstacle_of(trial)) {
      return *obstacle;
    }
    if (is_known) {
      return {facts_.retry_failed ? Decision::kRetry : Decision::kFailed,
              note(past->second.reason)};
    }
    return {Decision::kRun, note(dataset_of(trial).made_first)};
  }

  // Sees to it that the parameters of a training will be there; says why they cannot be.
  std::optional<NotedDecision> want_parameters(Trial& source) {
    NotedDecision decided = {source.decision, source.note};
    if (decided.decision == Decision::kExcluded) {
      decided = decide_alone(source);
    }
    if (decided.decision == Decision::kDone && decided.note == 0) {  // not: known to be unsupported
      if (facts_.parameters.contains(source.id)) {
        return std::nullopt;
      }
      decided = obstacle_of(source).value_or(NotedDecision{Decision::kRunForParameters, 0});
    } else if (is_run(decided.decision) && source.decision == Decision::kExcluded) {
      decided = {Decision::kRunForParameters, 0};
    }
    if (!is_run(decided.decision)) {
      Trial would_be = source;
      would_be.decision = decided.decision;
      would_be.note = decided.note;
      return cannot_train(source, plan_.reason_of(would_be));
    }
    if (!matrix_.bindings[source.binding]->capabilities->saves) {
      return cannot_train(source, "its worker does not save them");
    }
    source.decision = decided.decision;
    source.note = decided.note;
    return std::nullopt;
  }

  NotedDecision cannot_train(const Trial& source, const std::string& reason) {
    return {
        Decision::kUnavailable,
        note(fmt::format(
            "needs the parameters that {} trains: {}", plan_.bindings[source.binding], reason))};
  }

  const Study& study_;
  const Facts& facts_;
  const Matrix& matrix_;
  Plan& plan_;
  std::unordered_map<std::string, uint32_t> numbers_ = {{"", 0}};
  std::vector<std::optional<NotedDecision>> obstacles_;  // by row and binding
  std::map<std::tuple<uint16_t, uint32_t, Task>, std::optional<std::string>> missing_of_model_;
  std::vector<bool> binding_wanted_;
  std::vector<bool> row_wanted_;
  bool by_block_ = false;
  bool by_trial_ = false;
};

}  // namespace

Status decide(const Study& study, const Facts& facts, const Matrix& matrix, Plan& plan) {
  return Decider(study, facts, matrix, plan).decide_all();
}

}  // namespace crossbind::plan
