#include "checkup/probe_step.h"

#include <algorithm>
#include <cmath>

#include "converse/probed_step.h"
#include "judge/step_tensors.h"
#include "model/initial_weights.h"
#include "tensor/safetensors.h"

namespace crossbind::checkup {
namespace {

using protocol::ProbeMode;
using trial::ProbeLevel;

constexpr uint32_t kOtherSeed = 2;
constexpr int64_t kSamples = 4;

Result<judge::RecordedStep> starting_point(const Exercise& exercise, bool trains) {
  const auto& model = exercise.model();
  judge::RecordedStep step;
  step.trains = trains;
  if (exercise.is_serialized()) {
    CB_ASSIGN(step.state, tensor::load_safetensors(exercise.file("weights.safetensors")));
  } else {
    step.state = model::initial_weights(model, kOtherSeed);  // moments that are not there are 0
  }
  CB_TRY(tensor::save_safetensors(exercise.file("state.safetensors"), step.state, {}));
  CB_ASSIGN(const auto split, referee::Split::open(exercise.data(), "train", model, kTrainSamples));
  std::vector<int64_t> ids(kSamples);
  std::iota(ids.begin(), ids.end(), int64_t{0});
  step.batch = split.gather<double>(ids);
  CB_ASSIGN(const auto batch, judge::batch_of(exercise.data(), ids));
  CB_TRY(tensor::save_safetensors(exercise.file("batch.safetensors"), batch, {}));
  return step;
}

Status all_finite(const judge::RecordedStep& step, const std::vector<judge::StepTensor>& wanted) {
  for (const auto& one : wanted) {
    const auto found = step.tensors.find(one.name);
    if (found == step.tensors.end()) {
      continue;  // fused, as read_step() has seen
    }
    CB_ASSIGN(const auto values, found->second.view().as<float>());
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
      return wrong("'{}' is not finite", one.name);
    }
  }
  return {};
}

}  // namespace

Status expect_rounding(const judge::Deviation& deviation) {
  if (!deviation.is_rounding()) {
    return wrong(
        "'{}' is outside of the referee's bound: element {} should be {:.7g} (to {:.1e}), "
        "came {:.7g}; 'crossbind conform' says more",
        deviation.tensor,
        deviation.element,
        deviation.expected,
        deviation.bound,
        deviation.came);
  }
  return {};
}

Result<ProbedStep> probe(Examination& examination, const std::vector<std::string>& more) {
  const ProbeLevel level = examination.able().probe;
  if (level == ProbeLevel::kNone) {
    return skip("it claims no probe level");
  }
  const bool trains =
      level == ProbeLevel::kGradients && examination.need(trial::Task::kTrain).has_value();
  CB_ASSIGN(const auto* exercise, examination.exercise());
  ProbedStep probed;
  CB_ASSIGN(probed.step, starting_point(*exercise, trains));
  const auto wanted = judge::step_tensors(
      exercise->model(), trains ? level : std::min(level, ProbeLevel::kLayers), kSamples);
  protocol::Probe request;
  request.mode = trains ? ProbeMode::kTrain : ProbeMode::kEval;
  request.batch = exercise->file("batch.safetensors");
  if (!exercise->is_serialized()) {
    request.state = exercise->file("state.safetensors");
  }
  request.directory = exercise->file("probe");
  std::error_code ignored;
  std::filesystem::create_directories(request.directory, ignored);
  request.wanted = judge::names_of(wanted);
  request.wanted.insert(request.wanted.end(), more.begin(), more.end());
  CB_ASSIGN(auto* worker, examination.prepared());
  CB_ASSIGN(const Answer answer, worker->ask(request));
  CB_ASSIGN(probed.done, expect_done(answer));
  CB_ASSIGN(probed.step, converse::read_step(probed.done, wanted, std::move(probed.step)));
  CB_TRY(all_finite(probed.step, wanted));
  return probed;
}

}  // namespace crossbind::checkup
