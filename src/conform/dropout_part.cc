#include "conform/dropout_part.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "conform/cause.h"
#include "conform/locate.h"
#include "judge/masks.h"
#include "model/graph_json.h"
#include "stats/distributions.h"
#include "tasks/missing.h"

namespace crossbind::conform {
namespace {

using converse::Attempt;
using converse::because;
using judge::MaskAspect;
using judge::MaskQuestion;

// A share that fits the other reading of the rate this well is called that.
constexpr double kFits = 1e-3;

// Which elements were held against each other.
std::string compared_in(const MaskQuestion& question) {
  switch (question.aspect) {
    case MaskAspect::kRate:
      break;
    case MaskAspect::kSamples:
      return "pairs of neighbouring samples";
    case MaskAspect::kFeatures:
      return "pairs of neighbouring features";
    case MaskAspect::kSteps:
      return "pairs of one step and the next";
    case MaskAspect::kLayers:
      return fmt::format("pairs of this layer and {}", question.other);
  }
  return "elements";
}

std::string counted_in(const MaskQuestion& question) {
  return fmt::format(
      "{} of {} {} were {}, expected a share of {:.3f} (p {})",
      question.count,
      question.trials,
      compared_in(question),
      question.aspect == MaskAspect::kRate ? "dropped" : "treated alike",
      question.expected,
      question.p_value < 1e-300 ? "below 1e-300" : fmt::format("= {:.1e}", question.p_value));
}

// What the count itself proves; empty where it proves no more than that it is improbable.
std::string cause_in(const MaskQuestion& question) {
  if (question.aspect == MaskAspect::kRate) {
    const double of_the_kept =
        stats::binomial_two_sided(question.count, question.trials, 1 - question.expected);
    return of_the_kept > kFits ? "dropout keeps with the rate instead of dropping with it" : "";
  }
  if (question.count != question.trials) {
    return "";
  }
  switch (question.aspect) {
    case MaskAspect::kRate:
      break;
    case MaskAspect::kSamples:
      return "dropout draws one mask for the whole batch";
    case MaskAspect::kFeatures:
      return "dropout draws one number for neighbouring features";
    case MaskAspect::kSteps:
      return "dropout draws the same mask in every step";
    case MaskAspect::kLayers:
      return fmt::format("dropout draws the mask of {} again", question.other);
  }
  return "";
}

Divergence divergence_by(const MaskQuestion& question) {
  Divergence divergence;
  divergence.part = Part::kDropout;
  divergence.kind = Kind::kMask;
  divergence.step = 1;
  divergence.layer = question.layer;
  divergence.tensor = question.layer + ".out";
  divergence.detail = counted_in(question);
  divergence.cause = cause_in(question);
  return divergence;
}

class DropoutPart {
 public:
  explicit DropoutPart(const Bench& bench) : bench_(bench) { finding_.part = Part::kDropout; }

  Attempt<PartFinding> run() {
    const auto& model = bench_.course.whole_model();
    auto request = bench_.course.exercise().prepare(settings_of(bench_), {});
    request.graph = model::canonical_graph(model).dump();
    auto built = prepare(bench_, model, std::move(request));
    if (!built) {
      return because(built.error());
    }
    built_ = std::move(built->model);
    directory_ = bench_.subject.fresh_folder("dropout");
    for (int64_t number = 1; number <= bench_.course.steps() && !finding_.divergence; ++number) {
      if (const auto taken = take(number); !taken) {
        return because(taken.error());
      }
    }
    if (!finding_.divergence) {
      judge_masks();
    }
    if (auto& divergence = finding_.divergence) {
      finding_.outcome = Outcome::kDiverges;
      divergence->part = Part::kDropout;
      divergence->seed = bench_.course.seed();
    }
    return finding_;
  }

 private:
  Attempt<void> take(int64_t number) {
    auto start = bench_.course.start(number);
    if (!start) {
      return because_of(start.error());
    }
    start->drops = true;
    const auto ask = [&](const protocol::Probe& request) { return bench_.subject.ask(request); };
    const auto step = converse::take_step(ask,
                                          built_,
                                          trial::ProbeLevel::kGradients,
                                          std::move(*start),
                                          bench_.course.files(number, directory_));
    if (!step) {
      return because(step.error());
    }
    auto found = locate(built_, *step);
    if (!found) {
      return found.error().kind == ErrorKind::kUnsupported
                 ? because(converse::Lack{found.error().message})
                 : because_of(found.error());
    }
    finding_.ratio = found->divergence ? found->ratio : std::max(finding_.ratio, found->ratio);
    if (auto& divergence = found->divergence) {
      divergence->step = number;
      divergence->cause = find_cause({built_, *step}, *divergence).value_or("");
      finding_.divergence = std::move(divergence);
    } else {
      masks_.push_back(judge::masks_of(built_, *step));
    }
    return {};
  }

  void judge_masks() {
    const auto questions = judge::question_masks(masks_);
    if (const auto* failed = judge::failed_question(questions, kMaskLevel, bench_.mask_questions)) {
      finding_.divergence = divergence_by(*failed);
    }
  }

  const Bench& bench_;
  model::Model built_;
  std::filesystem::path directory_;
  std::vector<std::vector<judge::Mask>> masks_;  // by step, then by layer
  PartFinding finding_;
};

}  // namespace

bool has_dropout(const Bench& bench) {
  return judge::count_questions(bench.course.whole_model(), 1) > 0;
}

Attempt<PartFinding> dropout_part(const Bench& bench) {
  const auto lack = tasks::missing_feature(
      bench.able, bench.course.whole_model(), trial::Task::kJudge, settings_of(bench));
  if (lack) {
    return because(converse::Lack{*lack});
  }
  return DropoutPart(bench).run();
}

}  // namespace crossbind::conform
