#include <nlohmann/json.hpp>

#include <cmath>

#include "decide/gate_report.h"

namespace crossbind::decide {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_of(const TreatmentTime& time) {
  const auto& found = time.finding;
  return {{"subject", time.treatment},
          {"verdict", to_string(found.pace)},
          {"n_baseline", time.n_baseline},
          {"n_candidate", time.n_candidate},
          {"median_baseline", found.median_baseline},
          {"median_candidate", found.median_candidate},
          {"ratio", std::isfinite(found.ratio) ? Json(found.ratio) : Json()},
          {"ratio_low", time.ratio_interval ? Json(time.ratio_interval->low) : Json()},
          {"ratio_high", time.ratio_interval ? Json(time.ratio_interval->high) : Json()},
          {"noise", found.noise ? Json(*found.noise) : Json()},
          {"p", found.p},
          {"p_adjusted", found.p_adjusted},
          {"smallest_p", found.smallest_p},
          {"samples_needed", found.needed == 0 ? Json() : Json(found.needed)}};
}

Json json_of(const std::vector<MissingTreatment>& missing) {
  Json json = Json::array();
  for (const auto& [treatment, trials] : missing) {
    json.push_back({{"subject", treatment}, {"trials", trials}});
  }
  return json;
}

}  // namespace

std::string gate_json(const Gate& gate) {
  Json json = {
      {"verdict", to_string(gate.decision)},
      {"undecided", gate.undecided},
      {"alpha", gate.options.alpha},
      {"max_slowdown", gate.options.max_slowdown ? Json(*gate.options.max_slowdown) : Json()},
      {"compared", gate.compared},
      {"same_measurement", gate.same},
      {"repaired", gate.repaired},
      {"other_bits", gate.other_bits},
      {"unjudged_accuracies", gate.unjudged_accuracies},
      {"added", gate.added},
      {"changes", Json::array()},
      {"times", Json::array()},
      {"missing", json_of(gate.missing)},
      {"fewer", json_of(gate.fewer)},
      {"machines_baseline", gate.machines_baseline},
      {"machines_candidate", gate.machines_candidate}};
  for (const auto& [treatment, trial, change] : gate.changes) {
    json["changes"].push_back({{"subject", treatment},
                               {"trial", trial.empty() ? Json() : Json(trial)},
                               {"kind", to_string(change.kind)},
                               {"what", change.what}});
  }
  for (const auto& time : gate.times) {
    json["times"].push_back(json_of(time));
  }
  return text_of(json);
}

std::string self_test_json(const SelfTest& test, const TimeLimits& limits) {
  return text_of(Json{{"resamplings", test.resamplings},
                      {"comparisons", test.comparisons},
                      {"can_alarm", test.can_alarm},
                      {"alarms", test.alarms},
                      {"rate", test.rate()},
                      {"significant", test.significant},
                      {"alpha", limits.alpha},
                      {"max_slowdown", limits.slowdown}});
}

}  // namespace crossbind::decide
