#include "run/judged_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "judge/step_judge.h"
#include "judge/step_tensors.h"
#include "run/probed_step.h"
#include "tensor/safetensors.h"

namespace crossbind::run {
namespace {

using judge::Deviation;

constexpr protocol::RequestId kFirstProbeId = 2;  // after prepare

struct Kind {
  const char* name;
  Deviation (*worst)(judge::StepJudge&);
};

constexpr std::array<Kind, 4> kKinds = {{
    {"forward", [](judge::StepJudge& judge) { return judge::worst_of(judge.layers()); }},
    {"gradient",
     [](judge::StepJudge& judge) { return judge::worst_of(judge.loss_and_gradients()); }},
    {"update", [](judge::StepJudge& judge) { return judge::worst_of(judge.updates()); }},
    {"state", [](judge::StepJudge& judge) { return judge::worst_of(judge.statistics()); }},
}};

class JudgedSteps {
 public:
  JudgedSteps(Dialogue& dialogue,
              const TrialJob& job,
              const model::Model& built,
              const std::filesystem::path& directory)
      : dialogue_(dialogue),
        job_(job),
        model_(built),
        directory_(directory) {}

  Step<void> run(store::TrialRecord& record) {
    if (const auto opened = open(); !opened) {
      return because(Failure{opened.error().to_string()});
    }
    for (int64_t number = 1; number <= steps_; ++number) {
      auto worst = take(number);
      if (!worst) {
        return because(worst.error());
      }
      const bool agrees = std::ranges::all_of(*worst, &Deviation::is_rounding);
      note(*worst, number, record);
      if (!agrees) {
        return {};
      }
    }
    record.facts["verdict"] = "within rounding";
    return {};
  }

 private:
  using Worst = std::array<Deviation, kKinds.size()>;

  Status open() {
    CB_ASSIGN(data_, tensor::SafetensorsFile::open(job_.data.path));
    CB_ASSIGN(split_, reference::Split::open(*data_, "train", model_, job_.data.train_samples));
    CB_ASSIGN(order_, tensor::SafetensorsFile::open(job_.order));
    CB_ASSIGN(state_, tensor::load_safetensors(job_.model_file));
    steps_ = std::min(kJudgedSteps, (split_->size() + batch() - 1) / batch());
    return {};
  }

  [[nodiscard]] int64_t batch() const { return job_.settings.batch_size; }

  Step<Worst> take(int64_t number) {
    judge::RecordedStep step;
    step.number = number;
    const StepFiles files{
        directory_ / "batch.safetensors", directory_ / "state.safetensors", directory_};
    if (const auto started = start(step, files); !started) {
      return because(Failure{started.error().to_string()});
    }
    const auto ask = [&](protocol::Probe request) {
      request.id = kFirstProbeId + number - 1;
      return dialogue_.ask(request, [](const protocol::Event&) { return Status(); });
    };
    const auto taken =
        take_step(ask, model_, trial::ProbeLevel::kGradients, std::move(step), files);
    if (!taken) {
      return because(taken.error());
    }
    auto worst = judge(*taken);
    if (!worst) {
      return because(Failure{"showed a step that cannot be judged: " + worst.error().to_string()});
    }
    state_ = judge::state_after(taken->tensors);
    return *worst;
  }

  Status start(judge::RecordedStep& step, const StepFiles& files) {
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

  Result<Worst> judge(const judge::RecordedStep& step) const {
    CB_ASSIGN(auto judge, judge::StepJudge::open(model_, step));
    Worst worst;
    for (size_t i = 0; i < kKinds.size(); ++i) {
      worst[i] = kKinds[i].worst(judge);
    }
    return worst;
  }

  static void note(const Worst& worst, int64_t number, store::TrialRecord& record) {
    for (size_t i = 0; i < kKinds.size(); ++i) {
      // What is not a number is as far off as can be written down.
      constexpr double kFar = 1e300;
      const double ratio = worst[i].ratio / reference::kBoundConstant;
      const double error = ratio <= kFar ? ratio : kFar;
      record.series.push_back(
          {fmt::format("judge.{}", kKinds[i].name), static_cast<int>(number), {error}});
      if (!worst[i].is_rounding() && !record.facts.contains("verdict")) {
        record.facts["verdict"] = "diverges";
        record.facts["verdict.where"] =
            fmt::format("step {}, {} '{}'[{}]: {:.9g}, expected {:.9g}, {:.3g} times its bound",
                        number,
                        kKinds[i].name,
                        worst[i].tensor,
                        worst[i].element,
                        worst[i].came,
                        worst[i].expected,
                        error);
      }
    }
  }

  Dialogue& dialogue_;
  const TrialJob& job_;
  const model::Model& model_;
  const std::filesystem::path& directory_;
  std::optional<tensor::SafetensorsFile> data_;
  std::optional<reference::Split> split_;
  std::optional<tensor::SafetensorsFile> order_;
  tensor::TensorMap state_;
  int64_t steps_ = 0;
};

}  // namespace

Step<void> judge_steps(Dialogue& dialogue,
                       const TrialJob& job,
                       const model::Model& built,
                       const std::filesystem::path& directory,
                       store::TrialRecord& record) {
  return JudgedSteps(dialogue, job, built, directory).run(record);
}

}  // namespace crossbind::run
