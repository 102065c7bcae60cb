#include "published/json_contents.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "published/checked_numbers.h"
#include "published/sections.h"
#include "published/seeds.h"

namespace crossbind::published {
namespace {

using Json = nlohmann::json;

size_t line_at(std::string_view text, size_t byte) {
  return 1 + static_cast<size_t>(std::ranges::count(text.substr(0, byte), '\n'));
}

// An object; the file's content is in the closure's hands only while it is one.
template <typename Read>
auto with_object(std::string_view text, const Read& read) -> decltype(read(Json())) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fail_at(line_at(text, error.byte),
                   "is not JSON at byte {}{}",
                   error.byte,
                   error.byte > text.size() ? ", where it ends" : "");
  } catch (const Json::out_of_range& error) {
    return fail_at(1, "has a number that is too large");
  }
  if (!json.is_object()) {
    return fail_at(1, "is not a JSON object");
  }
  return read(json).map_error([](Error&& error) { return std::move(error).at("line 1"); });
}

Result<double> number(const Json& json, const std::string& name) {
  if (!json.is_number() || !std::isfinite(json.get<double>())) {
    return fail(ErrorKind::kInvalid, "'{}' is not a finite number", name);
  }
  return json.get<double>();
}

Result<double> member(const Json& json, const std::string& name) {
  const auto found = json.find(name);
  if (found == json.end()) {
    return fail(ErrorKind::kInvalid, "has no '{}'", name);
  }
  return number(*found, name);
}

Result<std::optional<double>> optional_member(const Json& json, const std::string& name) {
  if (!json.contains(name)) {
    return std::nullopt;
  }
  CB_ASSIGN(const double value, member(json, name));
  return value;
}

Result<std::vector<double>> numbers(const Json& json, const std::string& name) {
  if (!json.is_array()) {
    return fail(ErrorKind::kInvalid, "'{}' is not an array", name);
  }
  std::vector<double> values;
  values.reserve(json.size());
  for (const auto& element : json) {
    CB_ASSIGN(const double value, number(element, name));
    values.push_back(value);
  }
  return values;
}

// [same, accuracy, expected]
Status read_score(const Json& json, const std::string& name, PublishedPasses& passes) {
  if (!json.is_array() || json.size() != 3 || !json[0].is_boolean()) {
    return fail(ErrorKind::kInvalid, "'{}' is not [same, accuracy, expected]", name);
  }
  CB_ASSIGN(const double accuracy, number(json[1], name));
  CB_ASSIGN(const double expected, number(json[2], name));
  CB_TRY(check_share(accuracy, "an accuracy of '" + name + "'"));
  CB_TRY(check_share(expected, "an accuracy of '" + name + "'"));
  passes.same.push_back(json[0].get<bool>());
  passes.accuracies.push_back(accuracy);
  passes.expected.push_back(expected);
  return {};
}

Result<PublishedPasses> read_set(const Json& json, const std::string& set) {
  const std::string scores_name = set + "set_same_acc";
  for (const auto& name : {set, scores_name}) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_array() || found->size() != kModels) {
      return fail(ErrorKind::kInvalid, "'{}' is not an array of {}", name, kModels);
    }
  }
  PublishedPasses passes;
  CB_ASSIGN(passes.seconds, numbers(json[set], set));
  CB_TRY(check_all(passes.seconds, "a time of '" + set + "'", check_seconds));
  CB_ASSIGN(passes.average, optional_member(json, set + "_average"));
  for (const auto& score : json[scores_name]) {
    CB_TRY(read_score(score, scores_name, passes));
  }
  return passes;
}

Result<std::map<std::string, double>> read_areas(const Json& json) {
  const auto found = json.find("roc_aucs");
  if (found == json.end() || !found->is_object() || found->empty()) {
    return fail(ErrorKind::kInvalid, "'roc_aucs' is not an object of areas");
  }
  std::map<std::string, double> areas;
  for (const auto& [name, value] : found->items()) {
    CB_ASSIGN(areas[name], number(value, "roc_aucs"));
    CB_TRY(check_share(areas[name], "an area"));
  }
  return areas;
}

Result<RocCurve> read_roc_curve(const Json& json, const std::string& name) {
  RocCurve curve;
  for (const auto& [key, values] :
       {std::pair("fprs", &curve.false_positives), std::pair("tprs", &curve.true_positives)}) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_object() || !found->contains(name)) {
      return fail(ErrorKind::kInvalid, "'{}' has no class '{}'", key, name);
    }
    CB_ASSIGN(*values, numbers((*found)[name], key));
    CB_TRY(check_all(*values, fmt::format("a rate of '{}'", key), check_share));
    if (values->size() < 2 || !std::ranges::is_sorted(*values)) {
      return fail(ErrorKind::kInvalid, "'{}' of class '{}' is no curve", key, name);
    }
  }
  if (curve.false_positives.size() != curve.true_positives.size()) {
    return fail(ErrorKind::kInvalid, "'fprs' and 'tprs' of class '{}' differ in length", name);
  }
  return curve;
}

Status read_evaluation(const Json& json, RocAuc& roc) {
  const auto evaluation = json.find("evaluation");
  if (evaluation == json.end()) {
    return fail(ErrorKind::kInvalid, "has no 'evaluation'");
  }
  PublishedPasses pass;
  CB_TRY(read_score(*evaluation, "evaluation", pass));
  roc.same = pass.same[0];
  roc.accuracy = pass.accuracies[0];
  roc.expected = pass.expected[0];
  return {};
}

}  // namespace

Result<TimeCost> read_time_cost_json(std::string_view text) {
  return with_object(text, [](const Json& json) -> Result<TimeCost> {
    TimeCost cost;
    CB_ASSIGN(cost.training, member(json, "training_time"));
    CB_ASSIGN(cost.total, optional_member(json, "total_time"));
    CB_ASSIGN(cost.evaluation, optional_member(json, "eval_time"));
    CB_ASSIGN(cost.test_accuracy, optional_member(json, "test_acc"));
    CB_ASSIGN(cost.train_accuracy, optional_member(json, "train_acc"));
    if (const auto seed = json.find("seed"); seed != json.end()) {
      if (!seed->is_number_unsigned() || seed->get<uint64_t>() > UINT32_MAX) {
        return fail(ErrorKind::kInvalid, "'seed' is not a seed");
      }
      cost.seed = seed->get<uint32_t>();
    }
    return cost;
  });
}

Result<Inference> read_inference_json(std::string_view text) {
  return with_object(text, [](const Json& json) -> Result<Inference> {
    Inference inference;
    CB_ASSIGN(inference.test, read_set(json, "test"));
    if (json.contains("train") && json.contains("trainset_same_acc")) {
      CB_ASSIGN(inference.train, read_set(json, "train"));
    }
    return inference;
  });
}

Result<RocAuc> read_roc_auc(std::string_view text) {
  return with_object(text, [](const Json& json) -> Result<RocAuc> {
    RocAuc roc;
    CB_ASSIGN(roc.macro, member(json, "macro_roc_auc"));
    CB_TRY(check_share(roc.macro, "'macro_roc_auc'"));
    CB_ASSIGN(roc.by_class, read_areas(json));
    if (json.contains("fprs") || json.contains("tprs")) {
      for (const auto& [name, area] : roc.by_class) {
        CB_ASSIGN(roc.curves[name], read_roc_curve(json, name));
      }
    }
    CB_TRY(read_evaluation(json, roc));
    return roc;
  });
}

}  // namespace crossbind::published
