#include "conform/replay.h"

#include <nlohmann/json.hpp>

#include "conform/bench.h"
#include "conform/cause.h"
#include "conform/locate.h"
#include "conform/shrink.h"
#include "conform/verdict.h"
#include "converse/probed_step.h"
#include "judge/built_model.h"
#include "model/forms.h"
#include "model/graph_json.h"
#include "tasks/missing.h"
#include "tensor/safetensors.h"

namespace crossbind::conform {
namespace {

using converse::Attempt;
using converse::because;
using trial::ProbeLevel;

// Where the worker finds the case.
struct Files {
  std::filesystem::path folder;

  [[nodiscard]] std::filesystem::path weights() const { return folder / "weights.safetensors"; }
  [[nodiscard]] std::filesystem::path state() const { return folder / "state.safetensors"; }
  [[nodiscard]] std::filesystem::path batch() const { return folder / "batch.safetensors"; }
};

Status write(const Case& subject, const Files& files) {
  tensor::TensorMap weights;
  for (const auto& parameter : subject.model.parameters) {
    weights.emplace(parameter.name, subject.state.at(parameter.name));
  }
  CB_TRY(tensor::save_safetensors(files.weights(), weights, {}));
  CB_TRY(tensor::save_safetensors(files.state(), subject.trains ? subject.state : weights, {}));
  return tensor::save_safetensors(files.batch(), subject.batch, {});
}

trial::Settings settings_for(const Case& subject,
                             const trial::Capabilities& able,
                             const std::string& device) {
  trial::Settings settings = trial::plain_settings(able);
  if (!device.empty()) {
    settings.device = device;
  }
  settings.epochs = 1;
  settings.batch_size = subject.model.batch;
  settings.evaluate = trial::Evaluate::kLast;
  return settings;
}

// The step, and the model that the worker made it with.
struct Taken {
  model::Model model;
  judge::RecordedStep step;
};

Attempt<Taken> take(Subject& binding,
                    const trial::Settings& settings,
                    const Case& subject,
                    Replayed& replayed) {
  const Files files{binding.fresh_folder("replay")};
  auto start = start_of(subject);
  if (!start) {
    return because_of(start.error());
  }
  if (const auto written = write(subject, files); !written) {
    return because_of(written.error());
  }
  protocol::Prepare request;
  request.graph = model::canonical_graph(subject.model).dump();
  request.weights = files.weights();
  request.settings = settings;
  request.scratch = binding.fresh_folder("scratch");
  const auto done = binding.ask(request);
  if (!done) {
    return because(done.error());
  }
  replayed.conventions = judge::conventions_of(subject.model, done->effective);
  auto built = model::with_forms(subject.model, done->effective);
  if (!built) {
    return because_of(built.error());
  }
  const auto ask = [&](const protocol::Probe& probe) { return binding.ask(probe); };
  auto step = converse::take_step(ask,
                                  *built,
                                  replayed.level,
                                  std::move(*start),
                                  {files.batch(), files.state(), binding.fresh_folder("probe")});
  if (!step) {
    return because(step.error());
  }
  return Taken{std::move(*built), std::move(*step)};
}

// Whether two divergences are one fault: of the same kind, in the same layer, for the same reason.
bool is_same(const std::optional<Divergence>& one, const Divergence& other) {
  return one && one->kind == other.kind && one->layer == other.layer && one->cause == other.cause;
}

}  // namespace

Attempt<Replayed> replay(Subject& binding, const trial::Capabilities& able, const Case& subject) {
  const auto settings = settings_for(subject, able, binding.candidate().device);
  const auto task = subject.trains ? trial::Task::kJudge : trial::Task::kInferParameters;
  Replayed replayed;
  replayed.level = subject.trains ? ProbeLevel::kGradients : ProbeLevel::kLayers;
  replayed.finding.part = subject.trains ? Part::kProbe : Part::kEvaluation;
  auto lack = tasks::missing_feature(able, subject.model, task, settings);
  if (!lack && able.probe < replayed.level) {
    lack = "probe layers";
  }
  if (lack) {
    return because(converse::Lack{*lack});
  }
  const auto taken = take(binding, settings, subject, replayed);
  if (!taken) {
    return because(taken.error());
  }
  auto found = locate(taken->model, taken->step);
  if (!found) {
    return found.error().kind == ErrorKind::kUnsupported
               ? because(converse::Lack{found.error().message})
               : because_of(found.error());
  }
  replayed.finding.ratio = found->ratio;
  if (auto& divergence = found->divergence) {
    replayed.finding.outcome = Outcome::kDiverges;
    divergence->part = replayed.finding.part;
    divergence->kind = subject.trains ? divergence->kind : Kind::kEvaluation;
    divergence->step = subject.number;
    divergence->cause = find_cause({taken->model, taken->step}, *divergence).value_or("");
    replayed.finding.divergence = std::move(divergence);
  }
  return replayed;
}

Status keep_smallest(Subject& binding,
                     const trial::Capabilities& able,
                     const Case& subject,
                     const std::string& name,
                     const std::filesystem::path& folder) {
  const auto whole = replay(binding, able, subject);
  if (!whole) {
    return fail(ErrorKind::kUnavailable,
                "the step could not be replayed: {}",
                settled(Part::kProbe, whole.error()).reason);
  }
  if (!whole->finding.divergence) {
    return fail(ErrorKind::kInvalid, "it does not show in this step alone");
  }
  Divergence divergence = *whole->finding.divergence;
  const Diverges diverges = [&](const Case& smaller) -> Result<bool> {
    const auto replayed = replay(binding, able, smaller);
    if (!replayed && std::holds_alternative<converse::Stopped>(replayed.error())) {
      return fail(ErrorKind::kUnavailable, "interrupted");
    }
    if (!replayed || !is_same(replayed->finding.divergence, divergence)) {
      return false;
    }
    divergence = *replayed->finding.divergence;
    return true;
  };
  CB_ASSIGN(const auto shrunk, shrink(subject, divergence.layer, diverges, {}));
  return write_repro(folder, shrunk.subject, name, divergence);
}

}  // namespace crossbind::conform
