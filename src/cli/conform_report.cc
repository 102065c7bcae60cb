#include "cli/conform_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/json_text.h"
#include "cli/junit.h"
#include "cli/text_table.h"
#include "conform/verdict.h"
#include "referee/bound.h"
#include "tasks/conform/json.h"

namespace crossbind::cli {
namespace {

using conform::Divergence;
using conform::Outcome;
using conform::Verdict;
using Json = nlohmann::ordered_json;

double ratio_of(const Divergence& divergence) {
  return divergence.error / divergence.bound;
}

std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio)) {
    return "inf";
  }
  return ratio < 10 ? fmt::format("{:.3f}", ratio) : fmt::format("{:.0f}", ratio);
}

TestCase case_of(const Verdict& verdict, const conform::PartFinding& part) {
  TestCase test{verdict.binding,
                fmt::format("{} {}", verdict.model, name_in(conform::kParts, part.part)),
                TestCase::Result::kPassed,
                part.reason};
  if (part.outcome == Outcome::kDiverges) {
    test.result = TestCase::Result::kFailed;
    test.message = divergence_text(verdict.binding, verdict.model, *part.divergence);
  } else if (part.outcome == Outcome::kFailed) {
    test.result = TestCase::Result::kError;
  } else if (part.outcome == Outcome::kUnsupported || part.outcome == Outcome::kKnown) {
    test.result = TestCase::Result::kSkipped;
  }
  return test;
}

// A paragraph for each part that is not well, and for each known divergence that is missing.
std::string details_of(const Verdict& verdict) {
  std::string details;
  for (const auto& part : verdict.parts) {
    if (part.divergence) {
      details += fmt::format("\n{}{}\n",
                             divergence_text(verdict.binding, verdict.model, *part.divergence),
                             part.reason.empty() ? "" : "; known: " + part.reason);
    } else if (part.outcome == Outcome::kFailed) {
      details += fmt::format("\n{} on {} failed in {}: {}\n",
                             verdict.binding,
                             verdict.model,
                             name_in(conform::kParts, part.part),
                             part.reason);
    }
  }
  for (const auto& missed : verdict.missed) {
    details += fmt::format(
        "\n{} on {}: {}; mend its known.toml\n", verdict.binding, verdict.model, missed);
  }
  return details;
}

// What the table says: where nothing could be examined, why.
std::string words_of(const Verdict& verdict) {
  const std::string words = conform::to_words(verdict);
  return verdict.outcome == Outcome::kUnsupported && !verdict.reason.empty()
             ? words + ": " + verdict.reason
             : words;
}

}  // namespace

std::string divergence_text(const std::string& binding,
                            const std::string& model,
                            const Divergence& divergence) {
  const bool is_loader = divergence.part == conform::Part::kLoader;
  std::string text =
      fmt::format("{} on {} diverges at {} {}",
                  binding,
                  model,
                  is_loader && divergence.kind == conform::Kind::kData ? "batch" : "step",
                  divergence.step);
  if (!divergence.layer.empty()) {
    text += fmt::format(" in layer {}", divergence.layer);
  }
  text += fmt::format(", kind {}", name_in(conform::kKinds, divergence.kind));
  if (!divergence.tensor.empty()) {
    text += fmt::format(" ({})", divergence.tensor);
  }
  if (tasks::is_measured(divergence.kind)) {
    const double ratio = ratio_of(divergence);
    text += !std::isfinite(ratio)
                ? fmt::format(", error {:.3g}, where none is allowed", divergence.error)
                : fmt::format(", error {:.3g}, bound {:.3g} ({}x the bound)",
                              divergence.error,
                              divergence.bound,
                              ratio_text(ratio));
  }
  if (!divergence.detail.empty()) {
    text += ": " + divergence.detail;
  }
  if (divergence.kind != conform::Kind::kData) {
    text += divergence.cause.empty() ? "; cause unknown" : "; cause: " + divergence.cause;
  }
  text += fmt::format(" [{}, seed {}]", name_in(conform::kParts, divergence.part), divergence.seed);
  return divergence.repro.empty() ? text : text + "\nsmallest repro: " + divergence.repro;
}

std::string verdict_line(const Verdict& verdict) {
  return fmt::format("{} on {}: {}{}",
                     verdict.binding,
                     verdict.model,
                     conform::to_words(verdict),
                     verdict.reason.empty() ? "" : ": " + verdict.reason);
}

std::string conform_text(const conform::Conformance& report) {
  TextTable table({{"binding"}, {"model"}, {"verdict"}, {"ratio", Align::kRight}});
  std::string details;
  for (const auto& verdict : report.verdicts) {
    table.add({verdict.binding,
               verdict.model,
               words_of(verdict),
               tasks::has_ratio(verdict) ? ratio_text(verdict.ratio) : ""});
    details += details_of(verdict);
  }
  return table.to_string() + details;
}

std::string conform_junit(const conform::Conformance& report) {
  std::vector<TestCase> cases;
  for (const auto& verdict : report.verdicts) {
    for (const auto& part : verdict.parts) {
      cases.push_back(case_of(verdict, part));
    }
    for (const auto& missed : verdict.missed) {
      cases.push_back({verdict.binding, verdict.model, TestCase::Result::kFailed, missed});
    }
  }
  return junit_xml("crossbind conform", cases);
}

std::string conform_json(const conform::Conformance& report, const ConformSetting& setting) {
  Json verdicts = Json::array();
  double largest = 0;
  for (const auto& verdict : report.verdicts) {
    verdicts.push_back(tasks::verdict_json(verdict));
    if (conform::agrees(verdict.outcome)) {
      largest = std::max(largest, verdict.ratio);
    }
  }
  return json_text(Json{{"against", setting.against},
                        {"geometry", setting.full ? "full" : "conform"},
                        {"steps", setting.steps},
                        {"seeds", setting.seeds},
                        {"bound_constant", referee::kBoundConstant},
                        {"largest_ratio_of_agreement", largest},
                        {"seconds",
                         {{"wall", setting.wall.count()},
                          {"bindings", report.bindings.count()},
                          {"crossbind", report.crossbind.count()}}},
                        {tasks::kVerdicts, std::move(verdicts)}});
}

}  // namespace crossbind::cli
