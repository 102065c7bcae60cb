#include "cli/claims_report.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/text.h"
#include "claims/wording.h"
#include "cli/json_text.h"
#include "cli/text_table.h"

namespace crossbind::cli {
namespace {

using claims::Conclusion;
using claims::State;
using Json = nlohmann::ordered_json;

std::string summary(const claims::JudgedList& result) {
  std::vector<std::string> counts;
  counts.reserve(claims::kConclusions.size());
  for (const auto& [name, conclusion] : claims::kConclusions) {
    counts.push_back(fmt::format("{} {}", result.count(conclusion), name));
  }
  return fmt::format("{} {}: {}\n",
                     result.judged.size(),
                     plural(result.judged.size(), "claim", "claims"),
                     fmt::join(counts, ", "));
}

std::string_view word_of(State state) {
  switch (state) {
    case State::kHolds:
      return "holds";
    case State::kFails:
      return "fails";
    case State::kLeftOut:
      return "left out";
    case State::kMissing:
      break;
  }
  return "not measured";
}

Json conclusion_json(Conclusion conclusion,
                     bool holds_so_far,
                     const claims::Tally& tally,
                     const claims::Wording& words) {
  return {{"verdict", to_string(conclusion)},
          {"holds_so_far", conclusion == Conclusion::kPartlyMeasured ? Json(holds_so_far) : Json()},
          {"asked", tally.asked},
          {"measured", tally.measured},
          {"holding", tally.holding},
          {"figure", words.figure},
          {"why", words.why}};
}

Json point_json(const claims::JudgedPoint& point) {
  const auto& tested = point.tested;
  return {{"labels", point.labels},
          {"condition", point.condition},
          {"state", word_of(tested.state)},
          {"value", tested.value ? Json(*tested.value) : Json()},
          {"figure", tested.figure},
          {"reason", tested.reason},
          {"sources", tested.sources}};
}

Json check_json(const claims::Check& check, const claims::JudgedCheck& judged) {
  Json json = {{"text", check.text}};
  json.update(conclusion_json(
      judged.conclusion, judged.holds_so_far, judged.tally, wording(check, judged)));
  auto& points = json["points"] = Json::array();
  for (const auto& point : judged.points) {
    points.push_back(point_json(point));
  }
  return json;
}

Json claim_json(const std::string& file,
                const claims::Claim& claim,
                const claims::JudgedClaim& judged) {
  Json json = {{"file", file}, {"id", claim.id}, {"text", claim.text}, {"printed", claim.printed}};
  json.update(conclusion_json(
      judged.conclusion, judged.holds_so_far, judged.tally, wording(claim, judged)));
  auto& checks = json["checks"] = Json::array();
  for (size_t i = 0; i < claim.checks.size(); ++i) {
    checks.push_back(check_json(claim.checks[i], judged.checks[i]));
  }
  return json;
}

}  // namespace

std::string claims_table(const std::vector<claims::JudgedList>& results) {
  std::string text;
  for (const auto& result : results) {
    TextTable table({{"ID"}, {"VERDICT"}, {"FIGURE"}, {"WHY"}});
    for (size_t i = 0; i < result.judged.size(); ++i) {
      const auto& claim = result.list.claims[i];
      const auto words = wording(claim, result.judged[i]);
      table.add(
          {claim.id, std::string(to_string(result.judged[i].conclusion)), words.figure, words.why});
    }
    text += fmt::format("{}{}: {}\n\n{}\n{}",
                        text.empty() ? "" : "\n",
                        result.name,
                        result.list.title,
                        table.to_string(),
                        summary(result));
  }
  return text;
}

std::string claims_json(const std::vector<claims::JudgedList>& results) {
  Json counts;
  for (const auto& [name, conclusion] : claims::kConclusions) {
    size_t all = 0;
    for (const auto& result : results) {
      all += result.count(conclusion);
    }
    counts[std::string(name)] = all;
  }
  Json json = {{"counts", counts}, {"claims", Json::array()}};
  for (const auto& result : results) {
    for (size_t i = 0; i < result.judged.size(); ++i) {
      json["claims"].push_back(claim_json(result.name, result.list.claims[i], result.judged[i]));
    }
  }
  return json_text(json);
}

}  // namespace crossbind::cli
