#include "tasks/conform/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace crossbind::tasks {
namespace {

using Written = nlohmann::ordered_json;
using Json = nlohmann::json;

constexpr double kBeyond = std::numeric_limits<double>::infinity();  // null in JSON

Written number(double value) {
  return std::isfinite(value) ? Written(value) : Written(nullptr);
}

Written divergence_json(const std::optional<Divergence>& divergence) {
  if (!divergence) {
    return nullptr;
  }
  return {{"part", name_in(kConformParts, divergence->part)},
          {"kind", name_in(trial::kKinds, divergence->kind)},
          {"seed", divergence->seed},
          {"step", divergence->step},
          {"layer", divergence->layer},
          {"tensor", divergence->tensor},
          {"error", number(divergence->error)},
          {"bound", number(divergence->bound)},
          {"ratio", number(divergence->error / divergence->bound)},
          {"detail", divergence->detail},
          {"cause", divergence->cause},
          {"repro", divergence->repro}};
}

std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

template <typename T>
std::optional<T> number_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<T>())
                                                     : std::nullopt;
}

std::vector<std::string> text_members(const Json& object, const char* name) {
  std::vector<std::string> texts;
  if (const auto all = object.find(name); all != object.end() && all->is_array()) {
    for (const auto& text : *all) {
      if (text.is_string()) {
        texts.push_back(text.get<std::string>());
      }
    }
  }
  return texts;
}

template <typename T, size_t N>
Result<T> word_member(const Json& object, const char* name, const std::array<Named<T>, N>& words) {
  const std::string word = text_member(object, name);
  const auto value = value_in(words, word);
  if (!value) {
    return fail(
        ErrorKind::kCorrupt, "a verdict whose '{}' is no word that is known ('{}')", name, word);
  }
  return *value;
}

Result<std::optional<Divergence>> divergence_member(const Json& verdict) {
  const auto found = verdict.find("divergence");
  if (found == verdict.end() || !found->is_object()) {
    return std::nullopt;
  }
  const Json& json = *found;
  Divergence divergence;
  CB_ASSIGN(divergence.part, word_member(json, "part", kConformParts));
  CB_ASSIGN(divergence.kind, word_member(json, "kind", trial::kKinds));
  divergence.seed = number_member<uint64_t>(json, "seed").value_or(0);
  divergence.step = number_member<int64_t>(json, "step").value_or(0);
  divergence.layer = text_member(json, "layer");
  divergence.tensor = text_member(json, "tensor");
  // Where an error or a bound is infinite, the ratio says what is left.
  const double ratio = number_member<double>(json, "ratio").value_or(kBeyond);
  divergence.error = number_member<double>(json, "error").value_or(ratio);
  divergence.bound = number_member<double>(json, "bound").value_or(1);
  divergence.detail = text_member(json, "detail");
  divergence.cause = text_member(json, "cause");
  divergence.repro = text_member(json, "repro");
  return divergence;
}

Result<std::vector<PartFinding>> parts_member(const Json& verdict) {
  std::vector<PartFinding> parts;
  const auto all = verdict.find("parts");
  for (size_t i = 0; all != verdict.end() && i < all->size(); ++i) {
    const Json& json = (*all)[i];
    PartFinding part;
    CB_ASSIGN(part.part, word_member(json, "part", kConformParts));
    CB_ASSIGN(part.outcome, word_member(json, "verdict", kConformOutcomes));
    part.ratio = number_member<double>(json, "ratio").value_or(kBeyond);
    CB_ASSIGN(part.divergence, divergence_member(json));
    part.reason = text_member(json, "reason");
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<Verdict> read_verdict(const Json& json) {
  Verdict verdict;
  if (json.is_object()) {
    verdict.binding = text_member(json, "binding");
    verdict.model = text_member(json, "model");
  }
  if (verdict.binding.empty() || verdict.model.empty()) {
    return fail(ErrorKind::kCorrupt, "a verdict without a binding or a model");
  }
  CB_ASSIGN(verdict.outcome, word_member(json, "verdict", kConformOutcomes));
  verdict.level =
      value_in(trial::kProbeLevels, text_member(json, "level")).value_or(trial::ProbeLevel::kNone);
  verdict.conventions = text_members(json, "conventions");
  CB_ASSIGN(verdict.divergence, divergence_member(json));
  verdict.ratio = number_member<double>(json, "ratio").value_or(has_ratio(verdict) ? kBeyond : 0);
  verdict.reason = text_member(json, "reason");
  CB_ASSIGN(verdict.parts, parts_member(json));
  verdict.same_as = text_members(json, "same_as");
  verdict.missed = text_members(json, "missed");
  return verdict;
}

}  // namespace

nlohmann::ordered_json verdict_json(const Verdict& verdict) {
  Written parts = Written::array();
  for (const auto& part : verdict.parts) {
    parts.push_back({{"part", name_in(kConformParts, part.part)},
                     {"verdict", name_in(kConformOutcomes, part.outcome)},
                     {"ratio", number(part.ratio)},
                     {"reason", part.reason},
                     {"divergence", divergence_json(part.divergence)}});
  }
  return {{"binding", verdict.binding},
          {"model", verdict.model},
          {"verdict", name_in(kConformOutcomes, verdict.outcome)},
          {"level", name_in(trial::kProbeLevels, verdict.level)},
          {"ratio", has_ratio(verdict) ? number(verdict.ratio) : Written(nullptr)},
          {"conventions", verdict.conventions},
          {"same_as", verdict.same_as},
          {"reason", verdict.reason},
          {"missed", verdict.missed},
          {"divergence", divergence_json(verdict.divergence)},
          {"parts", std::move(parts)}};
}

Result<std::vector<Verdict>> read_verdicts(std::string_view json, const std::string& place) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object() || !parsed.contains(kVerdicts) || !parsed[kVerdicts].is_array()) {
    return tl::unexpected(Error{ErrorKind::kCorrupt,
                                "this is not what conform says",
                                place,
                                "`crossbind conform --json > FILE` writes it."});
  }
  std::vector<Verdict> verdicts;
  for (const auto& one : parsed[kVerdicts]) {
    CB_ASSIGN(auto verdict, read_verdict(one).map_error([&](Error&& error) {
      return std::move(error).at(place);
    }));
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace crossbind::tasks
