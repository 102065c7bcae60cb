#include "run/judged_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "conform/step_judge.h"
#include "conform/step_tensors.h"
#include "tensor/safetensors.h"

namespace crossbind::run {
namespace {

using conform::Deviation;

constexpr protocol::RequestId kFirstProbeId = 2;  // after prepare

struct Kind {
  const char* name;
  Deviation (*worst)(conform::StepJudge&);
};

constexpr std::array<Kind, 4> kKinds = {{
    {"forward", [](conform::StepJudge& judge) { return judge.layers(); }},
    {"gradient", [](conform::StepJudge& judge) { return judge.loss_and_gradients(); }},
    {"update", [](conform::StepJudge& judge) { return judge.updates(); }},
    {"state", [](conform::StepJudge& judge) { return judge.statistics(); }},
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
    conform::RecordedStep step;
    step.number = number;
    auto request = make_request(step);
    if (!request) {
      return because(Failure{request.error().to_string()});
    }
    const auto done = dialogue_.ask(*request, [](const protocol::Event&) { return Status(); });
    if (!done) {
      return because(done.error());
    }
    auto worst = judge(step, *done);
    if (!worst) {
      return because(Failure{"showed a step that cannot be judged: " + worst.error().to_string()});
    }
    state_ = conform::state_after(step.tensors);
    return *worst;
  }

  Result<protocol::Probe> make_request(conform::RecordedStep& step) {
    CB_ASSIGN(const auto order, order_->values<int64_t>("order"));
    const int64_t begin = (step.number - 1) * batch();
    const auto ids = order.subspan(static_cast<size_t>(begin),
                                   static_cast<size_t>(std::min(batch(), split_->size() - begin)));
    step.batch = split_->gather<double>(ids);
    protocol::Probe request;
    request.id = kFirstProbeId + step.number - 1;
    request.step = step.number;
    request.batch = directory_ / "batch.safetensors";
    request.state = directory_ / "state.safetensors";
    request.directory = directory_;
    wanted_ = conform::step_tensors(
        model_, trial::ProbeLevel::kGradients, static_cast<int64_t>(ids.size()));
    request.wanted = conform::names_of(wanted_);
    CB_ASSIGN(const auto samples, conform::batch_of(*data_, ids));
    CB_TRY(tensor::save_safetensors(request.batch, samples, {}));
    CB_TRY(tensor::save_safetensors(*request.state, state_, {}));
    step.state = std::move(state_);
    return request;
  }

  Result<Worst> judge(conform::RecordedStep& step, const protocol::Done& done) const {
    if (!done.tensors || !done.loss) {
      return fail(ErrorKind::kInvalid, "without a file of tensors or without a loss");
    }
    step.loss = done.loss;
    CB_ASSIGN(step.tensors, tensor::load_safetensors(*done.tensors));
    for (const auto& wanted : wanted_) {
      const auto found = step.tensors.find(wanted.name);
      if (found == step.tensors.end() || found->second.dtype() != tensor::DType::kF32 ||
          found->second.shape() != wanted.shape) {
        return fail(ErrorKind::kInvalid,
                    "'{}' is not there as {} of float32",
                    wanted.name,
                    tensor::to_string(wanted.shape));
      }
    }
    CB_ASSIGN(auto judge, conform::StepJudge::open(model_, step));
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
  std::vector<conform::StepTensor> wanted_;
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
