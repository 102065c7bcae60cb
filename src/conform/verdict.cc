#include "conform/verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace crossbind::conform {
namespace {

// What outweighs what when seeds differ.
int weight(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDiverges:
      return 3;
    case Outcome::kFailed:
      return 2;
    case Outcome::kUnsupported:
      return 1;
    case Outcome::kBitForBit:
    case Outcome::kRounding:
    case Outcome::kConvention:
    case Outcome::kKnown:
      break;
  }
  return 0;
}

}  // namespace

PartFinding settled(Part part, const converse::Setback& setback) {
  PartFinding finding;
  finding.part = part;
  if (const auto* lack = std::get_if<converse::Lack>(&setback)) {
    finding.outcome = Outcome::kUnsupported;
    finding.reason = converse::one_line(lack->feature);
    return finding;
  }
  const auto* failure = std::get_if<converse::Failure>(&setback);
  finding.outcome = Outcome::kFailed;
  finding.reason = failure == nullptr ? "interrupted" : failure->reason;
  return finding;
}

void merge(PartFinding& finding, PartFinding next) {
  if (weight(next.outcome) > weight(finding.outcome)) {
    finding = std::move(next);
  } else if (weight(next.outcome) == 0 && weight(finding.outcome) == 0) {
    finding.ratio = std::max(finding.ratio, next.ratio);
  }
}

void conclude(Verdict& verdict) {
  const auto& parts = verdict.parts;
  const auto first = [&](Outcome outcome) {
    return std::ranges::find(parts, outcome, &PartFinding::outcome);
  };
  if (const auto found = first(Outcome::kDiverges); found != parts.end()) {
    verdict.outcome = Outcome::kDiverges;
    verdict.ratio = found->ratio;
    verdict.divergence = found->divergence;
    return;
  }
  if (const auto found = first(Outcome::kFailed); found != parts.end()) {
    verdict.outcome = Outcome::kFailed;
    verdict.reason = fmt::format("{}: {}", name_in(kParts, found->part), found->reason);
    return;
  }
  if (std::ranges::all_of(parts, [](const auto& part) { return !agrees(part.outcome); })) {
    verdict.outcome = Outcome::kUnsupported;
    verdict.reason = parts.empty() ? "nothing could be tried" : parts.front().reason;
    return;
  }
  verdict.outcome = verdict.conventions.empty() ? Outcome::kRounding : Outcome::kConvention;
  for (const auto& part : parts) {
    verdict.ratio = std::max(verdict.ratio, part.ratio);
  }
}

std::string to_words(const Verdict& verdict) {
  std::string words(name_in(kOutcomes, verdict.outcome));
  if (verdict.outcome == Outcome::kConvention) {
    words += fmt::format(": {}", fmt::join(verdict.conventions, ", "));
  }
  if (agrees(verdict.outcome) && verdict.level < trial::ProbeLevel::kGradients) {
    words += fmt::format(
        " ({} only)",
        verdict.level == trial::ProbeLevel::kLayers ? "layers in evaluation mode" : "outputs");
  }
  const auto dropout = std::ranges::find(verdict.parts, Part::kDropout, &PartFinding::part);
  if (agrees(verdict.outcome) && verdict.level == trial::ProbeLevel::kGradients &&
      dropout != verdict.parts.end() && dropout->outcome == Outcome::kUnsupported) {
    words += " (dropout in training not judged)";
  }
  return words;
}

}  // namespace crossbind::conform
