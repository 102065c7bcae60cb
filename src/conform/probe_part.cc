#include "conform/probe_part.h"

#include <fmt/format.h>

#include <span>

#include "base/digest.h"
#include "conform/cause.h"
#include "conform/locate.h"
#include "judge/step_tensors.h"
#include "tasks/missing.h"

namespace crossbind::conform {
namespace {

using converse::Attempt;
using converse::because;
using trial::ProbeLevel;
using trial::Task;

// How deep the worker lets us look into steps of this model; why it does not at all.
struct Depth {
  ProbeLevel level = ProbeLevel::kNone;
  std::string lack;
};

Depth depth_of(const Bench& bench) {
  const auto& able = bench.able;
  const auto& model = bench.course.model();
  const auto settings = settings_of(bench);
  auto lack = tasks::missing_feature(able, model, Task::kJudge, settings);
  if (!lack) {
    return {ProbeLevel::kGradients, {}};
  }
  if (able.probe >= ProbeLevel::kLayers &&
      !tasks::missing_feature(able, model, Task::kInferParameters, settings)) {
    return {ProbeLevel::kLayers, {}};
  }
  return {ProbeLevel::kNone, *lack};
}

void add(const judge::RecordedStep& step, Sha256& hash) {
  const double loss = step.loss.value_or(0);
  hash.update(std::as_bytes(std::span(&loss, 1)));
  for (const auto& [name, tensor] : step.tensors) {
    hash.update(std::as_bytes(std::span(name)));
    hash.update(tensor.view().bytes);
  }
}

class ProbePart {
 public:
  ProbePart(const Bench& bench, ProbeLevel level) : bench_(bench) { probed_.level = level; }

  Attempt<Probed> run() {
    auto built = prepare(bench_);
    if (!built) {
      return because(built.error());
    }
    built_ = std::move(built->model);
    probed_.conventions = std::move(built->conventions);
    directory_ = bench_.subject.fresh_folder("probe");
    for (int64_t number = 1; number <= bench_.course.steps(); ++number) {
      if (auto taken = take(number); !taken) {
        return because(taken.error());
      }
      if (probed_.finding.divergence && !bench_.leads) {
        return std::move(probed_);
      }
    }
    probed_.digest = hash_.hex();
    return std::move(probed_);
  }

 private:
  Attempt<void> take(int64_t number) {
    auto start = bench_.course.start(number);
    if (!start) {
      return because_of(start.error());
    }
    start->trains = probed_.level == ProbeLevel::kGradients;
    const auto ask = [&](const protocol::Probe& request) { return bench_.subject.ask(request); };
    auto step = converse::take_step(
        ask, built_, probed_.level, std::move(*start), bench_.course.files(number, directory_));
    if (!step) {
      return because(step.error());
    }
    add(*step, hash_);
    if (bench_.leads) {
      const auto kept = bench_.course.set_state(number + 1, judge::state_after(step->tensors));
      if (!kept) {
        return because_of(kept.error());
      }
    }
    return probed_.finding.divergence ? Attempt<void>() : judge(std::move(*step));
  }

  Attempt<void> judge(judge::RecordedStep step) {
    auto found = locate(built_, step);
    if (!found) {
      return found.error().kind == ErrorKind::kUnsupported
                 ? because(converse::Lack{found.error().message})
                 : because_of(found.error());
    }
    auto& finding = probed_.finding;
    finding.ratio = found->divergence ? found->ratio : std::max(finding.ratio, found->ratio);
    finding.divergence = std::move(found->divergence);
    if (auto& divergence = finding.divergence) {
      finding.outcome = Outcome::kDiverges;
      divergence->seed = bench_.course.seed();
      divergence->step = step.number;
      const Scene scene{built_, step, before_ ? &*before_ : nullptr};
      divergence->cause = find_cause(scene, *divergence).value_or("");
      auto diverging = case_of(bench_.course.model(), step, bench_.course.batch_file(step.number));
      if (!diverging) {
        return because_of(diverging.error());
      }
      probed_.diverging = std::move(*diverging);
    }
    before_ = std::move(step);
    return {};
  }

  const Bench& bench_;
  model::Model built_;  // with the conventions that the worker has
  std::filesystem::path directory_;
  Probed probed_;
  Sha256 hash_;
  std::optional<judge::RecordedStep> before_;
};

}  // namespace

Attempt<Probed> probe_part(const Bench& bench) {
  const Depth depth = depth_of(bench);
  if (depth.level == ProbeLevel::kNone) {
    return because(converse::Lack{depth.lack});
  }
  return ProbePart(bench, depth.level).run();
}

}  // namespace crossbind::conform
