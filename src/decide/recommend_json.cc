#include <nlohmann/json.hpp>

#include "analysis/names.h"
#include "decide/recommend_report.h"
#include "decide/recommend_words.h"

namespace crossbind::decide {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Against& against) {
  return {{"ratio", against.ratio},
          {"ratio_low", against.interval ? Json(against.interval->low) : Json()},
          {"ratio_high", against.interval ? Json(against.interval->high) : Json()},
          {"noise", or_null(against.noise)},
          {"p", against.p},
          {"slower", against.is_slower},
          {"samples_needed", or_null(against.needed)},
          {"samples_needed_at_least", against.needed_is_least}};
}

Json json_of(const std::optional<analysis::Parts>& parts) {
  if (!parts) {
    return {};
  }
  return {{"n", parts->n},
          {"load", parts->load},
          {"forward", parts->forward},
          {"backward", or_null(parts->backward)},
          {"total", parts->total}};
}

Json json_of(const RankedOption& ranked) {
  const auto& option = ranked.option;
  return {{"binding", option.binding},
          {"mode", option.mode ? Json(analysis::to_string(*option.mode)) : Json()},
          {"standing", to_string(ranked.standing)},
          {"n", option.seconds.size()},
          {"median", option.median},
          {"whole", option.whole},
          {"to_fastest", json_of(ranked.fastest)},
          {"to_first", json_of(ranked.first)},
          {"agreement", to_string(option.correctness)},
          {"matches", is_match(option.correctness) && option.failed == 0},
          {"because", option.because},
          {"weights", option.weights},
          {"failed", option.failed},
          {"peak_memory", or_null(option.peak_memory)},
          {"parts", json_of(option.parts)}};
}

Json json_of(const RankedPair& pair) {
  return {{"standing", to_string(pair.standing)},
          {"cost", pair.cost},
          {"tried", pair.was_tried},
          {"break_even", or_null(pair.break_even)},
          {"train", json_of(pair.train)},
          {"infer", json_of(pair.infer)}};
}

std::string_view task_word(Work work) {
  switch (work) {
    case Work::kInference:
      return "infer";
    case Work::kTraining:
      return "train";
  }
  return {};
}

Json json_of(const Ranking& ranking) {
  const auto& [work, model, device, condition] = ranking.key;
  Json json = {{"model", model},
               {"task", ranking.infer_key ? "both" : task_word(work)},
               {"device", ranking.infer_key ? ranking.infer_key->device : device},
               {"training_device", work == Work::kTraining ? Json(device) : Json()},
               {"condition", condition},
               {"time", unit_of(ranking).name},
               {"answer", to_string(ranking.answer)},
               {"because", ranking.because},
               {"fastest_in_any_language", or_null(ranking.fastest_elsewhere)},
               {"options", Json::array()},
               {"pairs", Json::array()},
               {"left_out", Json::array()}};
  for (const auto& option : ranking.options) {
    json["options"].push_back(json_of(option));
  }
  for (const auto& pair : ranking.pairs) {
    json["pairs"].push_back(json_of(pair));
  }
  for (const auto& [name, why] : ranking.left_out) {
    json["left_out"].push_back({{"name", name}, {"why", why}});
  }
  return json;
}

}  // namespace

std::string recommendations_json(const std::vector<Ranking>& rankings) {
  Json json = Json::array();
  for (const auto& ranking : rankings) {
    json.push_back(json_of(ranking));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace crossbind::decide
