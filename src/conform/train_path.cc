#include "conform/train_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conform/cause.h"
#include "converse/parameters_file.h"
#include "judge/free_step.h"
#include "judge/step_tensors.h"
#include "judge/update_range.h"
#include "tasks/missing.h"

namespace crossbind::conform {
namespace {

using converse::Attempt;
using converse::because;
using judge::array_of;
using judge::Deviation;
using judge::Range;
using judge::UpdateRange;
using referee::Array;

bool is_equal(const tensor::TensorMap& one,
              const tensor::TensorMap& other,
              const model::Model& model) {
  return std::ranges::all_of(model.parameters, [&](const model::Parameter& parameter) {
    return judge::is_same(one.at(parameter.name), other.at(parameter.name));
  });
}

double largest(const Array<double>& array) {
  return array.values.empty() ? 0 : std::ranges::max(array.values);
}

// Two correct results are each within the bound of the referee's.
double twice_the_bound(const referee::Bounded& bounded) {
  return 2 * referee::bound_of(largest(bounded.unit));
}

Range around(const Array<double>& value, double distance) {
  Range range{value, value};
  for (size_t i = 0; i < value.values.size(); ++i) {
    range.low.values[i] -= distance;
    range.high.values[i] += distance;
  }
  return range;
}

// The element that is most off.
Deviation deviation_from(const std::string& name,
                         const Array<double>& came,
                         const Array<double>& expected,
                         const Range& range) {
  Deviation worst{.tensor = name};
  for (size_t i = 0; i < came.values.size(); ++i) {
    const double error = std::abs(came.values[i] - expected.values[i]);
    const double bound = std::max(range.high.values[i] - expected.values[i],
                                  expected.values[i] - range.low.values[i]);
    const double ratio = error == 0 ? 0 : error / bound;
    if (!(ratio <= worst.ratio)) {
      worst = {name,
               static_cast<int64_t>(i),
               expected.values[i],
               came.values[i],
               bound,
               std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio};
    }
  }
  return worst;
}

// A worker that takes steps apart, prepared.
class Prober {
 public:
  explicit Prober(const Bench& bench)
      : bench_(bench),
        folder_(bench.subject.fresh_folder("path")) {}

  Attempt<void> prepare() {
    auto built = conform::prepare(bench_);
    if (!built) {
      return because(built.error());
    }
    built_ = std::move(built->model);
    return {};
  }

  // The model with the conventions that the worker has.
  [[nodiscard]] const model::Model& built() const { return built_; }

  Attempt<judge::RecordedStep> take(int64_t number,
                                    tensor::TensorMap state,
                                    const std::vector<int64_t>& ids) const {
    const converse::StepFiles files{
        folder_ / "batch.safetensors", folder_ / "state.safetensors", folder_};
    auto begun = start(number, std::move(state), ids, files);
    if (!begun) {
      return because_of(begun.error());
    }
    const auto ask = [&](const protocol::Probe& request) { return bench_.subject.ask(request); };
    return converse::take_step(
        ask, built_, trial::ProbeLevel::kGradients, std::move(*begun), files);
  }

 private:
  Result<judge::RecordedStep> start(int64_t number,
                                    tensor::TensorMap state,
                                    const std::vector<int64_t>& ids,
                                    const converse::StepFiles& files) const {
    judge::RecordedStep step;
    step.number = number;
    step.state = std::move(state);
    CB_TRY(tensor::save_safetensors(*files.state, step.state, {}));
    const auto& data = bench_.course.exercise().data();
    CB_ASSIGN(const auto batch, judge::batch_of(data, ids));
    CB_TRY(tensor::save_safetensors(files.batch, batch, {}));
    CB_ASSIGN(const auto split, referee::Split::open(data, "train", built_, 0));
    step.batch = split.gather<double>(ids);
    return step;
  }

  const Bench& bench_;
  std::filesystem::path folder_;
  model::Model built_;
};

class StepByStep {
 public:
  StepByStep(const Bench& bench, const trial::Settings& settings)
      : bench_(bench),
        settings_(settings),
        prober_(bench) {}

  Attempt<StepFinding> run() {
    for (int64_t count = 1; count <= kPathSteps; ++count) {
      if (const auto trained = train(count); !trained) {
        return because(trained.error());
      }
    }
    if (const auto prepared = prober_.prepare(); !prepared) {
      return because(prepared.error());
    }
    auto state = tensor::load_safetensors(bench_.course.state_file(1));
    StepFinding finding;
    for (int64_t number = 1; state && number <= kPathSteps && !finding.divergence; ++number) {
      auto taken = prober_.take(number, std::move(*state), bench_.course.path_ids(number));
      if (!taken) {
        return because(taken.error());
      }
      steps_.push_back(std::move(*taken));
      if (const auto judged = judge(number, finding); !judged) {
        return because_of(judged.error());
      }
      state = state_after(number);
    }
    return state ? Attempt<StepFinding>(finding) : because_of(state.error());
  }

 private:
  [[nodiscard]] const model::Model& built() const { return prober_.built(); }

  Attempt<void> train(int64_t count) {
    const auto path = bench_.subject.fresh_folder("trained") / "trained.safetensors";
    const auto& course = bench_.course;
    const auto built =
        conform::prepare(bench_, course.model(), course.prepare_path(count, settings_));
    if (!built) {
      return because(built.error());
    }
    const auto done = bench_.subject.ask(protocol::Train{.save = path});
    if (!done) {
      return because(done.error());
    }
    auto saved = load_parameters(path, bench_.course.model());
    if (!saved) {
      return because_of(saved.error());
    }
    trained_.push_back(std::move(*saved));
    return {};
  }

  // The parameters that training came to, with the moments of the probed step.
  [[nodiscard]] Result<tensor::TensorMap> state_after(int64_t number) const {
    auto state = judge::state_after(steps_.back().tensors);
    for (const auto& [name, tensor] : trained_[static_cast<size_t>(number - 1)]) {
      state.insert_or_assign(name, tensor);
    }
    return state;
  }

  Status judge(int64_t number, StepFinding& finding) {
    const auto& trained = trained_[static_cast<size_t>(number - 1)];
    if (is_equal(trained, steps_.back().tensors, built())) {
      return {};
    }
    CB_ASSIGN(const auto deviations, deviations_of(trained));
    finding.ratio = std::max(finding.ratio, judge::worst_of(deviations).ratio);
    if (const auto* off = judge::first_off(deviations)) {
      const bool is_statistic = std::ranges::any_of(built().parameters, [&](const auto& parameter) {
        return parameter.name == off->tensor && !model::is_trainable(parameter.role);
      });
      finding.ratio = off->ratio;
      finding.divergence =
          divergence_of(built(), is_statistic ? Kind::kState : Kind::kUpdate, *off);
      finding.divergence->step = number;
      finding.divergence->detail = "training came to other values than the probed step";
      finding.divergence->cause = cause_of(trained, *finding.divergence);
    }
    return {};
  }

  // The cause is asked for as if the probed step had come to what was trained.
  [[nodiscard]] std::string cause_of(const tensor::TensorMap& trained,
                                     const Divergence& divergence) const {
    judge::RecordedStep step = steps_.back();
    for (const auto& [name, tensor] : trained) {
      step.tensors.insert_or_assign(name, tensor);
    }
    const auto* before = steps_.size() > 1 ? &steps_[steps_.size() - 2] : nullptr;
    return find_cause({built(), step, before}, divergence).value_or("");
  }

  // What was trained against the last probed step. The moments' ranges are those of all steps.
  Result<std::vector<Deviation>> deviations_of(const tensor::TensorMap& trained) {
    while (free_.size() < steps_.size()) {
      CB_ASSIGN(auto free, judge::free_step(built(), steps_[free_.size()]));
      free_.push_back(std::move(free));
    }
    std::vector<Deviation> deviations;
    for (size_t i = 0; i < built().parameters.size(); ++i) {
      const auto& parameter = built().parameters[i];
      const auto came = array_of(trained.at(parameter.name));
      const auto expected = array_of(steps_.back().tensors.at(parameter.name));
      const Range range = model::is_trainable(parameter.role)
                              ? range_of(i)
                              : around(expected, twice_the_bound(free_.back().statistics[i]));
      deviations.push_back(deviation_from(parameter.name, came, expected, range));
    }
    return deviations;
  }

  [[nodiscard]] Range range_of(size_t i) const {
    const auto& name = built().parameters[i].name;
    UpdateRange range = judge::exact_state(built(), i);
    for (size_t s = 0; s < steps_.size(); ++s) {
      const Range gradient = around(array_of(steps_[s].tensors.at(name + ".grad")),
                                    twice_the_bound(free_[s].gradients[i]));
      range = judge::update_range(built(),
                                  i,
                                  static_cast<int64_t>(s) + 1,
                                  array_of(steps_[s].state.at(name)),
                                  gradient,
                                  range);
    }
    return range.parameter;
  }

  const Bench& bench_;
  const trial::Settings& settings_;
  Prober prober_;
  std::vector<tensor::TensorMap> trained_;  // after one batch, after two, ...
  std::vector<judge::RecordedStep> steps_;
  std::vector<judge::FreeStep> free_;  // of the same steps, where they were needed
};

}  // namespace

Result<tensor::TensorMap> load_parameters(const std::filesystem::path& path,
                                          const model::Model& model) {
  if (const auto hash = converse::hash_parameters(path, model); !hash) {
    return fail(ErrorKind::kInvalid, "saved wrong parameters: {}", hash.error().to_string());
  }
  return tensor::load_safetensors(path);
}

// A layer that is not shown leaves the step to what training came to.
Status TrainPath::judge_partial(const model::Model& built, const judge::RecordedStep& step) {
  auto found = locate(built, step);
  if (!found) {
    return found.error().kind == ErrorKind::kUnsupported ? Status() : tl::unexpected(found.error());
  }
  partial_ = std::move(*found);
  if (auto& divergence = partial_.divergence) {
    divergence->step = step.number;
    divergence->cause = find_cause({built, step}, *divergence).value_or("");
    divergence->detail = fmt::format("in a partial batch, {} samples of {}",
                                     step.batch.inputs.front().batch(),
                                     bench_.course.batch_size());
  }
  return {};
}

Attempt<void> TrainPath::probe_along() {
  Prober prober(bench_);
  if (const auto prepared = prober.prepare(); !prepared) {
    return because(prepared.error());
  }
  auto state = tensor::load_safetensors(bench_.course.state_file(1));
  if (!state) {
    return because_of(state.error());
  }
  int64_t number = 0;
  for (const auto& ids : bench_.course.loader_order()) {
    auto taken = prober.take(++number, std::move(*state), ids);
    if (!taken) {
      return because(taken.error());
    }
    if (std::ssize(ids) < bench_.course.batch_size()) {
      if (const auto judged = judge_partial(prober.built(), *taken); !judged) {
        return because_of(judged.error());
      }
    }
    state = judge::state_after(taken->tensors);
  }
  probed_ = std::move(*state);
  return {};
}

Attempt<StepFinding> TrainPath::judge(const tensor::TensorMap& saved,
                                      const trial::Settings& settings) {
  const auto& model = bench_.course.model();
  if (tasks::missing_feature(bench_.able, model, trial::Task::kJudge, settings)) {
    return StepFinding{};
  }
  if (probed_.empty()) {
    if (const auto taken = probe_along(); !taken) {
      return because(taken.error());
    }
  }
  if (partial_.divergence || is_equal(saved, probed_, model) ||
      (!judged_.empty() && is_equal(saved, judged_, model))) {
    return partial_;
  }
  auto finding = StepByStep(bench_, settings).run();
  if (finding && !finding->divergence) {
    judged_ = saved;
  }
  return finding;
}

}  // namespace crossbind::conform
