#include "plan/plan.h"

#include <algorithm>
#include <utility>

#include "plan/decide.h"
#include "plan/identity.h"
#include "plan/matrix.h"
#include "tasks/rules.h"
#include "tensor/philox.h"

namespace crossbind::plan {
namespace {

using spec::Study;

// Puts the trials of a matrix in order.
class Sequence {
 public:
  Sequence(const Study& study, const Matrix& matrix, IdentityMaker& identities)
      : study_(study),
        matrix_(matrix),
        identities_(identities) {
    for (size_t i = 0; i < matrix.bindings.size(); ++i) {
      const BindingFacts& binding = *matrix.bindings[i];
      const BindingFacts* serializer = matrix.serializers[i];
      bindings_.push_back(identities.binding(binding));
      serialized_.push_back(serializer == nullptr ? bindings_.back()
                                                  : identities.binding(binding, *serializer));
      plan_.bindings.push_back(binding.name);
      plan_.serializers.push_back(serializer == nullptr ? "" : serializer->name);
    }
    size_t trials = 0;
    size_t blocks = 0;
    for (const Row& row : matrix.rows) {
      plan_.conditions.push_back(row.condition);
      const size_t times = times_of(study, study.models[row.condition.model]);
      trials += row.bindings.size() * times;
      blocks += row.bindings.empty() ? 0 : times;
    }
    plan_.trials.reserve(trials);
    plan_.blocks.reserve(blocks);
    plan_.notes.emplace_back();
  }

  // Repeats outermost: a machine that changes over time changes for all alike.
  [[nodiscard]] Plan make() && {
    sources_.resize(study_.seeds.size() * matrix_.source_rows.size(), kNoSource);
    feeders_.assign(matrix_.bindings.size(), kNoRow);
    for (uint32_t i = 0; i < matrix_.weights.size(); ++i) {
      feeders_[matrix_.weights[i]] = i;
    }
    for (uint32_t repeat = 1; repeat <= most_repeats(study_); ++repeat) {
      for (size_t seed = 0; seed < study_.seeds.size(); ++seed) {
        for (uint32_t row = 0; row < matrix_.rows.size(); ++row) {
          if (!matrix_.rows[row].bindings.empty() && takes(row, seed, repeat)) {
            add_block(row, seed, repeat);
          }
        }
      }
    }
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool takes(uint32_t row, size_t seed, uint32_t repeat) const {
    const spec::ModelEntry& entry = study_.models[matrix_.rows[row].condition.model];
    return repeat <= study_.repeats_of(entry) &&
           (entry.seeds.empty() ||
            std::ranges::find(entry.seeds, study_.seeds[seed]) != entry.seeds.end());
  }

  void add_block(uint32_t row_index, size_t seed, uint32_t repeat) {
    const Row& row = matrix_.rows[row_index];
    const bool may_feed = tasks::rules_of(row.condition.task).feeds_others && repeat == 1;
    const uint32_t source = are_trained(row.condition.weights)
                                ? source_of(seed, row.condition, row.condition.weights)
                                : kNoSource;
    const auto number = static_cast<uint32_t>(plan_.blocks.size());
    plan_.blocks.push_back({row_index, study_.seeds[seed], repeat});
    const Digest digest = identities_.block(
        row.digest,
        study_.seeds[seed],
        repeat,
        source == kNoSource ? std::nullopt : std::optional(plan_.trials[source].id));

    const auto& bindings =
        tasks::is_serialized(row.condition.task, row.condition.variant) ? serialized_ : bindings_;
    order_.assign(row.bindings.begin(), row.bindings.end());
    tensor::PhiloxStream stream(study_.shuffle_seed, tensor::Purpose::kTrialOrder, number);
    tensor::shuffle(order_, stream);
    for (const int64_t each : order_) {
      const auto binding = static_cast<uint16_t>(each);
      const bool feeds = may_feed && feeders_[binding] != kNoRow &&
                         matrix_.source_rows[place_of(row.condition, binding)] == row_index;
      if (feeds) {
        source_of(seed, row.condition, binding) = static_cast<uint32_t>(plan_.trials.size());
      }
      plan_.trials.push_back({.id = identities_.trial(digest, bindings[binding]),
                              .block = number,
                              .source = source,
                              .binding = binding,
                              .feeds_others = feeds});
    }
  }

  [[nodiscard]] size_t place_of(const Condition& condition, uint16_t weights) const {
    return plan::place_of(study_, condition, feeders_[weights]);
  }
  [[nodiscard]] uint32_t& source_of(size_t seed, const Condition& condition, uint16_t weights) {
    return sources_[seed * matrix_.source_rows.size() + place_of(condition, weights)];
  }

  const Study& study_;
  const Matrix& matrix_;
  IdentityMaker& identities_;
  std::vector<Digest> bindings_;
  std::vector<Digest> serialized_;  // of bindings with those that serialize for them
  std::vector<uint32_t> feeders_;   // by binding: its number among those that feed inference
  std::vector<uint32_t> sources_;   // trials, by seed, number, model and device
  std::vector<int64_t> order_;
  Plan plan_;
};

std::string_view opening(Decision decision) {
  switch (decision) {
    case Decision::kRun:
      return "first time";
    case Decision::kRetry:
      return "failed before";
    case Decision::kRunForParameters:
      return "others need its trained parameters";
    case Decision::kDone:
      return "done already";
    case Decision::kFailed:
      return "failed before (--retry-failed runs it again)";
    case Decision::kExcluded:
      return "left out by --only";
    case Decision::kUnsupported:
    case Decision::kUnavailable:
      break;
  }
  return word(decision);
}

}  // namespace

std::string_view word(Decision decision) {
  switch (decision) {
    case Decision::kRun:
    case Decision::kRetry:
    case Decision::kRunForParameters:
      return "run";
    case Decision::kDone:
      return "done";
    case Decision::kFailed:
      return "failed";
    case Decision::kUnsupported:
      return "unsupported";
    case Decision::kUnavailable:
      return "unavailable";
    case Decision::kExcluded:
      break;
  }
  return "excluded";
}

std::string Plan::reason_of(const Trial& trial) const {
  const std::string& note = notes[trial.note];
  return fmt::format("{}{}{}", opening(trial.decision), note.empty() ? "" : ": ", note);
}

std::string_view Plan::weights_of(const Trial& trial) const {
  const Condition& condition = condition_of(trial);
  if (!tasks::rules_of(condition.task).axes.weights) {
    return "";
  }
  if (are_trained(condition.weights)) {
    return bindings[condition.weights];
  }
  return condition.weights == kInitialWeights ? kInitialName : kSuppliedName;
}

trial::Settings settings_of(const Study& study, const Condition& condition, uint32_t seed) {
  const spec::ModelEntry& entry = study.models[condition.model];
  return {.device = study.devices[condition.device],
          .loader = condition.loader,
          .variant = condition.variant,
          .measure = condition.measure,
          .seed = seed,
          .epochs = entry.epochs,
          .batch_size = entry.model.batch,
          .training_accuracy = entry.training_accuracy,
          .evaluate = entry.evaluate,
          .warmup_steps = study.run.warmup_steps,
          .threads = study.run.threads};
}

Result<Plan> make_plan(const Study& study, const Facts& facts) {
  IdentityMaker identities;
  CB_ASSIGN(const Matrix matrix, make_matrix(study, facts, identities));
  Plan plan = Sequence(study, matrix, identities).make();
  CB_TRY(decide(study, facts, matrix, plan));
  return plan;
}

}  // namespace crossbind::plan
