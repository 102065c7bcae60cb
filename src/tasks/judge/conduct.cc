#include "tasks/judge/conduct.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "converse/probed_step.h"
#include "judge/judged_step.h"
#include "judge/step_tensors.h"
#include "model/forms.h"
#include "tasks/judge/rules.h"
#include "tasks/rows.h"
#include "tensor/safetensors.h"

namespace crossbind::tasks {
namespace {

using converse::Attempt;
using converse::because;
using converse::Failure;
using judge::Deviation;
using trial::Kind;
using trial::kKinds;

constexpr protocol::RequestId kFirstProbeId = 2;  // after prepare

// What a store has errors of. The loss has none of its own: it counts with the gradients, as they
// are of one backward pass.
constexpr std::array kNotedKinds = {Kind::kForward, Kind::kGradient, Kind::kUpdate, Kind::kState};

Deviation worst_noted(const judge::JudgedStep& step, Kind kind) {
  return kind == Kind::kGradient ? judge::worst_of(step, {Kind::kLoss, Kind::kGradient})
                                 : judge::worst_of(step, {kind});
}

class JudgedSteps {
 public:
  JudgedSteps(const Session& session, const model::Model& built)
      : session_(session),
        job_(session.job),
        model_(built) {}

  Attempt<Judged> run() {
    if (const auto opened = open(); !opened) {
      return because(Failure{opened.error().to_string()});
    }
    Judged judged;
    for (int64_t number = 1; number <= steps_; ++number) {
      const auto step = take(number);
      if (!step) {
        return because(step.error());
      }
      note(*step, static_cast<int>(number), judged);
      if (diverges(judged)) {
        return judged;
      }
    }
    judged.ruling = Ruling::kAgrees;
    return judged;
  }

 private:
  Status open() {
    CB_ASSIGN(data_, tensor::SafetensorsFile::open(job_.data.path));
    CB_ASSIGN(split_, referee::Split::open(*data_, "train", model_, job_.data.train_samples));
    CB_ASSIGN(order_, tensor::SafetensorsFile::open(job_.order));
    CB_ASSIGN(state_, tensor::load_safetensors(job_.model_file));
    steps_ = std::min(kJudgedSteps, (split_->size() + batch() - 1) / batch());
    return {};
  }

  [[nodiscard]] int64_t batch() const { return job_.settings.batch_size; }

  Attempt<judge::JudgedStep> take(int64_t number) {
    judge::RecordedStep step;
    step.number = number;
    const std::filesystem::path& directory = session_.directory;
    const converse::StepFiles files{
        directory / "batch.safetensors", directory / "state.safetensors", directory};
    if (const auto started = start(step, files); !started) {
      return because(Failure{started.error().to_string()});
    }
    const auto ask = [&](protocol::Probe request) {
      request.id = kFirstProbeId + number - 1;
      return session_.dialogue.ask(request, [](const protocol::Event&) { return Status(); });
    };
    const auto taken =
        converse::take_step(ask, model_, trial::ProbeLevel::kGradients, std::move(step), files);
    if (!taken) {
      return because(taken.error());
    }
    auto judged = judge::judge_step(model_, *taken);
    if (!judged) {
      return because(Failure{"showed a step that cannot be judged: " + judged.error().to_string()});
    }
    state_ = judge::state_after(taken->tensors);
    return std::move(*judged);
  }

  Status start(judge::RecordedStep& step, const converse::StepFiles& files) {
    CB_ASSIGN(const auto order, order_->values<int64_t>("order"));
    const int64_t begin = (step.number - 1) * batch();
    const auto ids = order.subspan(static_cast<size_t>(begin),
                                   static_cast<size_t>(std::min(batch(), split_->size() - begin)));
    step.batch = split_->gather<double>(ids);
    CB_ASSIGN(const auto samples, judge::batch_of(*data_, ids));
    CB_TRY(tensor::save_safetensors(files.batch, samples, {}));
    CB_TRY(tensor::save_safetensors(*files.state, state_, {}));
    step.state = std::move(state_);
    return {};
  }

  static void note(const judge::JudgedStep& step, int number, Judged& judged) {
    for (const Kind kind : kNotedKinds) {
      const Deviation worst = worst_noted(step, kind);
      judged.errors.push_back({number, kind, worst.ratio});
      if (!worst.is_rounding() && !diverges(judged)) {
        judged.ruling = Ruling::kDiverges;
        judged.where =
            fmt::format("step {}, {} '{}'[{}]: {:.9g}, expected {:.9g}, {:.3g} times its bound",
                        number,
                        name_in(kKinds, kind),
                        worst.tensor,
                        worst.element,
                        worst.came,
                        worst.expected,
                        storable(worst.ratio));
      }
    }
  }

  const Session& session_;
  const Assignment& job_;
  const model::Model& model_;
  std::optional<tensor::SafetensorsFile> data_;
  std::optional<referee::Split> split_;
  std::optional<tensor::SafetensorsFile> order_;
  tensor::TensorMap state_;
  int64_t steps_ = 0;
};

}  // namespace

Attempt<Judged> judge_steps(const Session& session, const protocol::Texts& effective) {
  const auto built = model::with_forms(*session.job.model, effective);
  if (!built) {
    return because(Failure{"claims a form that there is not: " + built.error().to_string()});
  }
  return JudgedSteps(session, *built).run();
}

}  // namespace crossbind::tasks
