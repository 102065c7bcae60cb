#include "conform/locate.h"

#include <algorithm>
#include <cmath>

namespace crossbind::conform {
namespace {

using judge::Deviation;

constexpr std::string_view kOutput = ".out";

bool is_moment(const Deviation& deviation) {
  return deviation.tensor.ends_with(".state.m") || deviation.tensor.ends_with(".state.v");
}

// Of `deviations`, those (moments or parameters) that are asked for.
std::vector<Deviation> some_of(const std::vector<Deviation>& deviations, bool moments) {
  std::vector<Deviation> some;
  std::ranges::copy_if(deviations, std::back_inserter(some), [&](const Deviation& deviation) {
    return is_moment(deviation) == moments;
  });
  return some;
}

class StepReview {
 public:
  explicit StepReview(const model::Model& model) : model_(model) {}

  // Whether nothing is off so far.
  bool passes(Kind kind, const std::vector<Deviation>& deviations) {
    finding_.ratio = std::max(finding_.ratio, ratio_of(judge::worst_of(deviations)));
    const Deviation* off =
        kind == Kind::kGradient ? gradient_off(model_, deviations) : first_off(deviations);
    if (off != nullptr) {
      finding_.divergence = divergence_of(model_, kind, *off);
      finding_.ratio = ratio_of(*off);
    }
    return off == nullptr;
  }

  [[nodiscard]] StepFinding finding() && { return std::move(finding_); }

 private:
  const model::Model& model_;
  StepFinding finding_;
};

bool passes_training(StepReview& review, judge::StepJudge& judge) {
  auto gradients = judge.loss_and_gradients();
  const std::vector<Deviation> loss = {gradients.front()};
  gradients.erase(gradients.begin());
  if (!review.passes(Kind::kLoss, loss) || !review.passes(Kind::kGradient, gradients)) {
    return false;
  }
  const auto updates = judge.updates();
  return review.passes(Kind::kUpdate, some_of(updates, false)) &&
         review.passes(Kind::kState, some_of(updates, true)) &&
         review.passes(Kind::kState, judge.statistics());
}

}  // namespace

std::string layer_of(const model::Model& model, const std::string& tensor) {
  if (tensor.ends_with(kOutput)) {
    return tensor.substr(0, tensor.size() - kOutput.size());
  }
  for (const auto& node : model.nodes) {
    for (const size_t parameter : node.parameters) {
      const auto& name = model.parameters[parameter].name;
      if (tensor == name || tensor.starts_with(name + ".")) {
        return node.name;
      }
    }
  }
  return {};
}

double ratio_of(const Deviation& deviation) {
  return deviation.ratio / reference::kBoundConstant;
}

Divergence divergence_of(const model::Model& model, Kind kind, const Deviation& deviation) {
  Divergence divergence;
  divergence.kind = kind;
  divergence.layer = layer_of(model, deviation.tensor);
  divergence.tensor = deviation.tensor;
  divergence.error = std::abs(deviation.came - deviation.expected);
  divergence.bound = deviation.bound;
  return divergence;
}

const Deviation* first_off(const std::vector<Deviation>& deviations) {
  const auto found = std::ranges::find_if_not(deviations, &Deviation::is_rounding);
  return found == deviations.end() ? nullptr : &*found;
}

const Deviation* gradient_off(const model::Model& model, const std::vector<Deviation>& gradients) {
  const Deviation* off = nullptr;
  std::string layer;
  for (const Deviation& deviation : gradients) {
    if (deviation.is_rounding()) {
      continue;
    }
    const std::string own = layer_of(model, deviation.tensor);
    if (off == nullptr || own != layer || deviation.ratio > off->ratio) {
      off = &deviation;
    }
    layer = own;
  }
  return off;
}

Result<StepFinding> judge_step(const model::Model& model, const judge::RecordedStep& step) {
  CB_ASSIGN(auto judge, judge::StepJudge::open(model, step));
  StepReview review(model);
  if (review.passes(Kind::kForward, judge.layers()) && step.trains) {
    static_cast<void>(passes_training(review, judge));
  }
  return std::move(review).finding();
}

}  // namespace crossbind::conform
