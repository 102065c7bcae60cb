#include "checkup/probe_step.h"

#include <algorithm>
#include <cmath>

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
  CB_ASSIGN(const auto split,
            reference::Split::open(exercise.data(), "train", model, kTrainSamples));
  std::vector<int64_t> ids(kSamples);
  std::iota(ids.begin(), ids.end(), int64_t{0});
  step.batch = split.gather<double>(ids);
  CB_ASSIGN(const auto batch, judge::batch_of(exercise.data(), ids));
  CB_TRY(tensor::save_safetensors(exercise.file("batch.safetensors"), batch, {}));
  return step;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Status judge(const judge::StepTensor& wanted, const ProbedStep& probed, const std::string& last) {
  const auto found = probed.step.tensors.find(wanted.name);
  if (found == probed.step.tensors.end()) {
    const bool is_inner = wanted.name.ends_with(".out") && wanted.name != last;
    if (is_inner && contains(probed.done.fused, wanted.name)) {
      return {};
    }
    return wrong("expected '{}' at this probe level, came none{}",
                 wanted.name,
                 contains(probed.done.missing, wanted.name) ? " (it is listed as missing)" : "");
  }
  if (found->second.shape() != wanted.shape) {
    return wrong("expected '{}' as {}, came {}",
                 wanted.name,
                 tensor::to_string(wanted.shape),
                 tensor::to_string(found->second.shape()));
  }
  const auto values = found->second.view().as<float>();
  if (!values) {
    return wrong("'{}' {}", wanted.name, values.error().message);
  }
  if (!std::ranges::all_of(*values, [](float value) { return std::isfinite(value); })) {
    return wrong("'{}' is not finite", wanted.name);
  }
  return {};
}

}  // namespace

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
  if (!probed.done.tensors) {
    return wrong("expected 'tensors', the path of a file, in done, came none");
  }
  probed.step.loss = probed.done.loss;
  CB_ASSIGN(probed.step.tensors, tensor::load_safetensors(*probed.done.tensors));
  for (const auto& one : wanted) {
    CB_TRY(judge(one, probed, exercise->model().nodes.back().name + ".out"));
  }
  return probed;
}

}  // namespace crossbind::checkup
