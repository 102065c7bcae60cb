#include "plan/matrix.h"

#include <algorithm>
#include <set>

#include "base/glob.h"
#include "base/text.h"
#include "tasks/missing.h"
#include "tasks/rules.h"
#include "trial/binding_name.h"

namespace crossbind::plan {
namespace {

using spec::Axis;
using spec::Study;
using trial::Task;

// The bindings that the study names, each once, in its order.
Result<std::vector<const BindingFacts*>> resolve_bindings(const Study& study, const Facts& facts) {
  std::vector<std::string> names;
  for (const auto& binding : facts.bindings) {
    names.push_back(binding.name);
  }
  std::vector<const BindingFacts*> bindings;
  for (const auto& pattern : study.bindings) {
    bool matched = false;
    for (const auto& binding : facts.bindings) {
      if (!matches(pattern, binding.name)) {
        continue;
      }
      matched = true;
      if (std::ranges::find(bindings, &binding) == bindings.end()) {
        bindings.push_back(&binding);
      }
    }
    if (!matched) {
      const std::string near = nearest(pattern, names);
      return tl::unexpected(Error{ErrorKind::kNotFound,
                                  fmt::format("'bindings': there is no binding '{}'", pattern),
                                  study.place,
                                  near.empty()
                                      ? fmt::format("There are: {}.", fmt::join(names, ", "))
                                      : fmt::format("Did you mean '{}'?", near)});
    }
  }
  return bindings;
}

// Who writes the files from which a binding infers: the first of its framework that can.
const BindingFacts* serializer_of(const BindingFacts& binding, const Facts& facts) {
  if (!binding.capabilities) {
    return nullptr;
  }
  const std::string framework = trial::BindingName(binding.name).framework();
  const auto found = std::ranges::find_if(facts.bindings, [&](const BindingFacts& other) {
    return trial::BindingName(other.name).framework() == framework && other.capabilities &&
           trial::common_format(*other.capabilities, *binding.capabilities);
  });
  return found == facts.bindings.end() ? nullptr : &*found;
}

bool trains_and_saves(const BindingFacts& binding) {
  return binding.capabilities && tasks::trains_and_saves(*binding.capabilities);
}

// The bindings whose trainings feed inference, each once, in the order of 'bindings'. A glob stands
// for those that can, a name for its binding whatever that can do.
Result<std::vector<uint16_t>> resolve_weights(const Study& study,
                                              const std::vector<const BindingFacts*>& bindings) {
  std::vector<uint16_t> weights;
  std::vector<bool> used(study.inference_weights.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    bool is_wanted = false;
    for (size_t p = 0; p < used.size(); ++p) {
      const std::string& pattern = study.inference_weights[p];
      if (matches(pattern, bindings[i]->name) &&
          (!is_glob(pattern) || trains_and_saves(*bindings[i]))) {
        is_wanted = used[p] = true;
      }
    }
    if (is_wanted) {
      weights.push_back(static_cast<uint16_t>(i));
    }
  }
  const auto unused = std::ranges::find(used, false);
  if (unused != used.end()) {
    const std::string& pattern =
        study.inference_weights[static_cast<size_t>(unused - used.begin())];
    return tl::unexpected(
        Error{ErrorKind::kNotFound,
              is_glob(pattern)
                  ? fmt::format("[inference]: no binding of the study that '{}' stands for trains "
                                "and saves what it trained",
                                pattern)
                  : fmt::format("[inference]: there is no binding '{}'", pattern),
              study.place,
              {}});
  }
  return weights;
}

Status check_size(const Study& study, size_t bindings, size_t weights) {
  const auto fed = static_cast<size_t>(std::ranges::count_if(
      study.tasks, [](Task task) -> bool { return tasks::rules_of(task).axes.weights; }));
  const size_t sources = std::max<size_t>(weights, 1);
  double trials = 0;
  for (const auto& entry : study.models) {
    trials += static_cast<double>(times_of(study, entry)) * static_cast<double>(bindings);
  }
  for (const size_t size : {study.devices.size(),
                            study.tasks.size() - fed + fed * sources,
                            study.loaders.size(),
                            study.variants.size(),
                            study.measures.size()}) {
    trials *= static_cast<double>(size);
  }
  if (trials > kMaximumTrials || bindings > kSuppliedWeights) {
    return tl::unexpected(Error{ErrorKind::kInvalid,
                                fmt::format("the study has {:.0f} trials, expected at most {}",
                                            trials,
                                            with_thousands(kMaximumTrials)),
                                study.place,
                                "Split it into several studies."});
  }
  return {};
}

Result<const DatasetFacts*> dataset_of(const spec::ModelEntry& entry, const Facts& facts) {
  const auto found = std::ranges::find(facts.datasets, entry.model.dataset, &DatasetFacts::id);
  if (found == facts.datasets.end()) {
    return tl::unexpected(
        Error{ErrorKind::kNotFound,
              fmt::format("nothing is known of data set '{}'", entry.model.dataset),
              entry.place,
              {}});
  }
  const auto too_many = [](std::optional<int64_t> asked, int64_t there) {
    return asked && there > 0 && *asked > there;
  };
  if (too_many(entry.train_samples, found->train) || too_many(entry.test_samples, found->test)) {
    return tl::unexpected(
        Error{ErrorKind::kInvalid,
              fmt::format("model '{}': data set '{}' has {} training and {} test samples, the "
                          "study asks for more",
                          entry.label,
                          found->id,
                          found->train,
                          found->test),
              entry.place,
              {}});
  }
  return &*found;
}

// Whether a condition is one that its task has: of an axis that does not matter it has one value.
bool exists(const Study& study, const Condition& condition) {
  const tasks::AxesThatMatter& matters = tasks::rules_of(condition.task).axes;
  return (matters.loader || condition.loader == study.loaders.front()) &&
         (matters.variant || condition.variant == trial::Variant::kStep) &&
         (matters.measure || condition.measure == study.measures.front());
}

// The conditions of a task that differ in how it is done.
void add_conditions(const Study& study, Condition condition, std::vector<Condition>& conditions) {
  for (const auto loader : study.loaders) {
    for (const auto variant : study.variants) {
      for (const auto measure : study.measures) {
        condition.loader = loader;
        condition.variant = variant;
        condition.measure = measure;
        if (exists(study, condition)) {
          conditions.push_back(condition);
        }
      }
    }
  }
}

std::vector<Condition> conditions_of(const Study& study, const std::vector<uint16_t>& weights) {
  std::vector<Condition> conditions;
  for (uint32_t model = 0; model < study.models.size(); ++model) {
    for (uint32_t device = 0; device < study.devices.size(); ++device) {
      for (const auto task : study.tasks) {  // outside the others: a source comes before its users
        Condition condition{.model = model, .device = device, .task = task};
        const bool takes_weights = tasks::rules_of(task).axes.weights;
        if (takes_weights && !study.models[model].parameters.empty()) {
          condition.weights = kSuppliedWeights;
        }
        // What was trained for so many steps only to time them is no model to infer with.
        if (!takes_weights || weights.empty() || study.models[model].steps ||
            condition.weights == kSuppliedWeights) {
          add_conditions(study, condition, conditions);
          continue;
        }
        for (const uint16_t binding : weights) {
          condition.weights = binding;
          add_conditions(study, condition, conditions);
        }
      }
    }
  }
  return conditions;
}

// Which bindings the study's exceptions leave, condition by condition.
class Exceptions {
 public:
  Exceptions(const Study& study, const std::vector<const BindingFacts*>& bindings)
      : study_(study),
        bindings_(bindings),
        used_(study.exceptions.size()) {}

  [[nodiscard]] std::vector<uint16_t> remaining(const Condition& condition) {
    const auto names = names_of(study_, bindings_, condition);
    std::vector<bool> removed(bindings_.size());
    for (size_t i = 0; i < used_.size(); ++i) {
      const spec::Exception& exception = study_.exceptions[i];
      if (!holds_for(exception, names)) {
        continue;
      }
      for (size_t b = 0; b < bindings_.size(); ++b) {
        const std::string& pattern = exception[Axis::kBinding];
        if (pattern.empty() || matches(pattern, bindings_[b]->name)) {
          removed[b] = true;
          used_[i] = true;
        }
      }
    }
    std::vector<uint16_t> left;
    for (size_t b = 0; b < bindings_.size(); ++b) {
      if (!removed[b]) {
        left.push_back(static_cast<uint16_t>(b));
      }
    }
    return left;
  }

  [[nodiscard]] Status check_all_used() const {
    const auto unused = std::ranges::find(used_, false);
    if (unused == used_.end()) {
      return {};
    }
    return tl::unexpected(
        Error{ErrorKind::kInvalid,
              "'except': matches no trial of the study",
              study_.exceptions[static_cast<size_t>(unused - used_.begin())].place,
              "Correct its patterns, or remove it."});
  }

 private:
  static bool holds_for(const spec::Exception& exception,
                        const spec::PerAxis<std::string_view>& names) {
    return std::ranges::all_of(spec::kAxes, [&](const auto& named) {
      const std::string& pattern = exception[named.value];
      return named.value == Axis::kBinding || pattern.empty() ||
             matches(pattern, names[static_cast<size_t>(named.value)]);
    });
  }

  const Study& study_;
  const std::vector<const BindingFacts*>& bindings_;
  std::vector<bool> used_;
};

// What an entry asks for beyond the model and its data. Nothing for what all studies once did, so
// that what they have run stays done.
std::string further(const spec::ModelEntry& entry, const Facts& facts) {
  std::string text = entry.shuffle ? "" : "not shuffled\n";
  if (entry.steps) {
    text += fmt::format("steps {}\n", *entry.steps);
  }
  if (!entry.parameters.empty()) {
    const auto found = facts.supplied.find(entry.parameters);
    text += fmt::format("parameters {} {}\n",
                        entry.parameters,
                        found == facts.supplied.end() ? "" : found->second.sha256);
  }
  return text;
}

Status add_rows(const Study& study, const Facts& facts, IdentityMaker& identities, Matrix& matrix) {
  std::vector<Digest> models;
  for (size_t i = 0; i < study.models.size(); ++i) {
    const spec::ModelEntry& entry = study.models[i];
    const DatasetFacts& dataset = *matrix.datasets[i];
    models.push_back(identities.model(entry.model,
                                      dataset,
                                      {.train = entry.train_samples.value_or(dataset.train),
                                       .test = entry.test_samples.value_or(dataset.test)},
                                      further(entry, facts)));
  }
  Exceptions exceptions(study, matrix.bindings);
  std::set<std::pair<Digest, uint16_t>> seen;
  for (const Condition& condition : conditions_of(study, matrix.weights)) {
    const auto settings = settings_of(study, condition, 0);
    const Digest digest = identities.condition(models[condition.model], condition.task, settings);
    if (!seen.emplace(digest, condition.weights).second) {
      const spec::ModelEntry& entry = study.models[condition.model];
      return tl::unexpected(
          Error{ErrorKind::kInvalid,
                fmt::format("model '{}': this is the same as an earlier entry", entry.label),
                entry.place,
                "Remove one of them."});
    }
    matrix.rows.push_back({condition, digest, exceptions.remaining(condition)});
  }
  return exceptions.check_all_used();
}

// Whether the binding's worker has the loader, variant and measure of a condition.
bool can_do(const Study& study, const BindingFacts& binding, const Condition& condition) {
  return binding.capabilities &&
         !tasks::missing_setting(
             *binding.capabilities, condition.task, settings_of(study, condition, 0));
}

Error no_training(const Study& study, const Condition& condition, const std::string& binding) {
  const spec::ModelEntry& entry = study.models[condition.model];
  return {
      ErrorKind::kInvalid,
      fmt::format("[inference]: 'weights' is \"{}\", but 'except' removes its training of model "
                  "'{}' on {}",
                  binding,
                  entry.label,
                  study.devices[condition.device]),
      entry.place,
      "Let it train, or remove the inference too."};
}

// Finds the trainings of a binding that feed the inference of each model and device: the first that
// it can do. Where 'except' removes them, a glob asks for no inference either.
Status add_sources(const Study& study, size_t number, Matrix& matrix) {
  const uint16_t feeder = matrix.weights[number];
  const BindingFacts& binding = *matrix.bindings[feeder];
  const bool is_named =
      std::ranges::find(study.inference_weights, binding.name) != study.inference_weights.end();
  for (uint32_t i = 0; i < matrix.rows.size(); ++i) {
    Row& row = matrix.rows[i];
    uint32_t& source = matrix.source_rows[place_of(study, row.condition, number)];
    if (tasks::rules_of(row.condition.task).feeds_others &&
        !study.models[row.condition.model].steps &&
        std::ranges::find(row.bindings, feeder) != row.bindings.end()) {
      const bool is_better =
          source == kNoRow || (!can_do(study, binding, matrix.rows[source].condition) &&
                               can_do(study, binding, row.condition));
      source = is_better ? i : source;
    }
    if (row.condition.weights == feeder && source == kNoRow && !row.bindings.empty()) {
      if (is_named) {
        return tl::unexpected(no_training(study, row.condition, binding.name));
      }
      row.bindings.clear();
    }
  }
  return {};
}

Status check_only_terms(const Study& study, const Facts& facts, const Matrix& matrix) {
  spec::PerAxis<std::set<std::string>> values;
  for (const Row& row : matrix.rows) {
    const auto names = names_of(study, matrix.bindings, row.condition);
    for (size_t axis = 0; axis < names.size(); ++axis) {
      if (!names[axis].empty()) {
        values[axis].emplace(names[axis]);
      }
    }
  }
  auto& bindings = values[static_cast<size_t>(Axis::kBinding)];
  for (const auto* binding : matrix.bindings) {
    bindings.insert(binding->name);
  }
  for (const auto& [key, axis] : spec::kAxes) {
    const auto& set = values[static_cast<size_t>(axis)];
    CB_TRY(check_only(facts.only, key, {set.begin(), set.end()}));
  }
  std::vector<std::string> seeds;
  for (const uint32_t seed : study.seeds) {
    seeds.push_back(std::to_string(seed));
  }
  CB_TRY(check_only(facts.only, "seed", seeds));
  std::vector<std::string> repeats;
  for (int64_t repeat = 1; repeat <= most_repeats(study); ++repeat) {
    repeats.push_back(std::to_string(repeat));
  }
  return check_only(facts.only, "repeat", repeats);
}

}  // namespace

size_t times_of(const Study& study, const spec::ModelEntry& entry) {
  const size_t seeds = entry.seeds.empty() ? study.seeds.size() : entry.seeds.size();
  return seeds * static_cast<size_t>(study.repeats_of(entry));
}

int64_t most_repeats(const Study& study) {
  int64_t most = 1;
  for (const auto& entry : study.models) {
    most = std::max(most, study.repeats_of(entry));
  }
  return most;
}

spec::PerAxis<std::string_view> names_of(const Study& study,
                                         const std::vector<const BindingFacts*>& bindings,
                                         const Condition& condition) {
  const spec::ModelEntry& entry = study.models[condition.model];
  std::string_view weights;
  if (tasks::rules_of(condition.task).axes.weights) {
    weights = are_trained(condition.weights) ? std::string_view(bindings[condition.weights]->name)
              : condition.weights == kInitialWeights ? kInitialName
                                                     : kSuppliedName;
  }
  return {"",
          entry.model.id,
          entry.model.dataset,
          study.devices[condition.device],
          name_in(trial::kTasks, condition.task),
          name_in(trial::kLoaders, condition.loader),
          name_in(trial::kVariants, condition.variant),
          name_in(trial::kMeasures, condition.measure),
          weights};
}

Result<Matrix> make_matrix(const Study& study, const Facts& facts, IdentityMaker& identities) {
  Matrix matrix;
  CB_ASSIGN(matrix.bindings, resolve_bindings(study, facts));
  CB_ASSIGN(matrix.weights, resolve_weights(study, matrix.bindings));
  CB_TRY(check_size(study, matrix.bindings.size(), matrix.weights.size()));
  for (const auto* binding : matrix.bindings) {
    matrix.serializers.push_back(serializer_of(*binding, facts));
  }
  for (const auto& entry : study.models) {
    CB_ASSIGN(const DatasetFacts* dataset, dataset_of(entry, facts));
    matrix.datasets.push_back(dataset);
  }
  CB_TRY(add_rows(study, facts, identities, matrix));
  matrix.source_rows.assign(matrix.weights.size() * study.models.size() * study.devices.size(),
                            kNoRow);
  for (size_t i = 0; i < matrix.weights.size(); ++i) {
    CB_TRY(add_sources(study, i, matrix));
  }
  CB_TRY(check_only_terms(study, facts, matrix));
  return matrix;
}

}  // namespace crossbind::plan
