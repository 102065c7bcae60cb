#include "run/probed_step.h"

#include <algorithm>

#include "judge/step_tensors.h"
#include "tensor/safetensors.h"

namespace crossbind::run {
namespace {

Status check(const tensor::TensorMap& shown,
             const judge::StepTensor& wanted,
             const std::vector<std::string>& fused) {
  const auto found = shown.find(wanted.name);
  if (found == shown.end() && std::ranges::find(fused, wanted.name) != fused.end()) {
    return {};
  }
  if (found == shown.end() || found->second.dtype() != tensor::DType::kF32 ||
      found->second.shape() != wanted.shape) {
    return fail(ErrorKind::kInvalid,
                "'{}' is not there as {} of float32",
                wanted.name,
                tensor::to_string(wanted.shape));
  }
  return {};
}

Status read(const protocol::Done& done,
            const std::vector<judge::StepTensor>& wanted,
            judge::RecordedStep& step) {
  if (!done.tensors || (step.trains && !done.loss)) {
    return fail(ErrorKind::kInvalid, "without a file of tensors or without a loss");
  }
  step.loss = done.loss;
  CB_ASSIGN(step.tensors, tensor::load_safetensors(*done.tensors));
  std::error_code ignored;
  std::filesystem::remove(*done.tensors, ignored);
  for (const auto& one : wanted) {
    CB_TRY(check(step.tensors, one, done.fused));
  }
  return {};
}

}  // namespace

Step<judge::RecordedStep> take_step(const AskProbe& ask,
                                    const model::Model& model,
                                    trial::ProbeLevel level,
                                    judge::RecordedStep start,
                                    const StepFiles& files) {
  const auto wanted = judge::step_tensors(model, level, start.batch.inputs.front().batch());
  protocol::Probe request;
  request.mode = start.trains ? protocol::ProbeMode::kTrain : protocol::ProbeMode::kEval;
  request.step = start.number;
  request.batch = files.batch;
  request.state = files.state;
  request.directory = files.directory;
  request.wanted = judge::names_of(wanted);
  const auto done = ask(request);
  if (!done) {
    return because(done.error());
  }
  if (const auto status = read(*done, wanted, start); !status) {
    return because(Failure{"showed a step that cannot be judged: " + status.error().to_string()});
  }
  return start;
}

}  // namespace crossbind::run
