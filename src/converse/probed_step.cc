#include "converse/probed_step.h"

#include <algorithm>

#include "judge/step_tensors.h"
#include "tensor/safetensors.h"

namespace crossbind::converse {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// `last`: the output of the whole, which no later layer could be fused with.
Status check(const tensor::TensorMap& shown,
             const judge::StepTensor& wanted,
             const protocol::Done& done,
             const std::string& last) {
  const auto found = shown.find(wanted.name);
  if (found == shown.end()) {
    if (contains(done.fused, wanted.name) && wanted.name != last) {
      return {};
    }
    return fail(ErrorKind::kInvalid,
                "expected '{}' at this probe level, came none{}",
                wanted.name,
                contains(done.missing, wanted.name) ? " (it is listed as missing)" : "");
  }
  if (found->second.shape() != wanted.shape) {
    return fail(ErrorKind::kInvalid,
                "expected '{}' as {}, came {}",
                wanted.name,
                tensor::to_string(wanted.shape),
                tensor::to_string(found->second.shape()));
  }
  if (const auto values = found->second.view().as<float>(); !values) {
    return fail(ErrorKind::kInvalid, "'{}' {}", wanted.name, values.error().message);
  }
  return {};
}

// The name of the last output among what is wanted, in the order of the graph.
std::string last_output(const std::vector<judge::StepTensor>& wanted) {
  const auto last = std::find_if(
      wanted.rbegin(), wanted.rend(), [](const auto& one) { return one.name.ends_with(".out"); });
  return last == wanted.rend() ? "" : last->name;
}

}  // namespace

Result<judge::RecordedStep> read_step(const protocol::Done& done,
                                      const std::vector<judge::StepTensor>& wanted,
                                      judge::RecordedStep start) {
  if (!done.tensors) {
    return fail(ErrorKind::kInvalid, "expected 'tensors', the path of a file, in done, came none");
  }
  if (start.trains && !done.loss) {
    return fail(ErrorKind::kInvalid, "expected a 'loss' in done in mode train, came none");
  }
  start.loss = done.loss;
  CB_ASSIGN(start.tensors, tensor::load_safetensors(*done.tensors));
  const std::string last = last_output(wanted);
  for (const auto& one : wanted) {
    CB_TRY(check(start.tensors, one, done, last));
  }
  return start;
}

Attempt<judge::RecordedStep> take_step(const AskProbe& ask,
                                       const model::Model& model,
                                       trial::ProbeLevel level,
                                       judge::RecordedStep start,
                                       const StepFiles& files) {
  const auto wanted = judge::step_tensors(model, level, start.batch.inputs.front().batch());
  protocol::Probe request;
  request.mode = start.trains ? protocol::ProbeMode::kTrain : protocol::ProbeMode::kEval;
  request.dropout = start.drops;
  request.step = start.number;
  request.batch = files.batch;
  request.state = files.state;
  request.directory = files.directory;
  request.wanted = judge::names_of(wanted);
  const auto done = ask(request);
  if (!done) {
    return because(done.error());
  }
  auto step = read_step(*done, wanted, std::move(start));
  if (!step) {
    return because(Failure{"showed a step that cannot be judged: " + step.error().to_string()});
  }
  std::error_code ignored;
  std::filesystem::remove(*done->tensors, ignored);
  return std::move(*step);
}

}  // namespace crossbind::converse
