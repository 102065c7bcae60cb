#include "report/conform_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace crossbind::report {
namespace {

using Json = nlohmann::json;

constexpr double kBeyond = std::numeric_limits<double>::infinity();  // null in JSON

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

std::vector<std::string> texts_in(const Json& object, const char* name) {
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
Result<T> word_in(const Json& object, const char* name, const std::array<Named<T>, N>& words) {
  const std::string word = text_in(object, name);
  const auto value = value_in(words, word);
  if (!value) {
    return fail(
        ErrorKind::kCorrupt, "a verdict whose '{}' is no word that is known ('{}')", name, word);
  }
  return *value;
}

Result<std::optional<tasks::Divergence>> divergence_in(const Json& verdict) {
  const auto found = verdict.find("divergence");
  if (found == verdict.end() || !found->is_object()) {
    return std::nullopt;
  }
  const Json& json = *found;
  tasks::Divergence divergence;
  CB_ASSIGN(divergence.part, word_in(json, "part", tasks::kConformParts));
  CB_ASSIGN(divergence.kind, word_in(json, "kind", trial::kKinds));
  divergence.seed = static_cast<uint64_t>(number_in(json, "seed").value_or(0));
  divergence.step = static_cast<int64_t>(number_in(json, "step").value_or(0));
  divergence.layer = text_in(json, "layer");
  divergence.tensor = text_in(json, "tensor");
  // Where an error or a bound is infinite, the ratio says what is left.
  divergence.error = number_in(json, "error").value_or(number_in(json, "ratio").value_or(kBeyond));
  divergence.bound = number_in(json, "bound").value_or(1);
  divergence.detail = text_in(json, "detail");
  divergence.cause = text_in(json, "cause");
  divergence.repro = text_in(json, "repro");
  return divergence;
}

Result<std::vector<tasks::PartFinding>> parts_in(const Json& verdict) {
  std::vector<tasks::PartFinding> parts;
  const auto all = verdict.find("parts");
  for (size_t i = 0; all != verdict.end() && i < all->size(); ++i) {
    const Json& json = (*all)[i];
    tasks::PartFinding part;
    CB_ASSIGN(part.part, word_in(json, "part", tasks::kConformParts));
    CB_ASSIGN(part.outcome, word_in(json, "verdict", tasks::kConformOutcomes));
    part.ratio = number_in(json, "ratio").value_or(kBeyond);
    CB_ASSIGN(part.divergence, divergence_in(json));
    part.reason = text_in(json, "reason");
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<FiledVerdict> verdict_in(const Json& json) {
  FiledVerdict filed;
  if (json.is_object()) {
    filed.binding = text_in(json, "binding");
    filed.model = text_in(json, "model");
  }
  if (filed.binding.empty() || filed.model.empty()) {
    return fail(ErrorKind::kCorrupt, "a verdict without a binding or a model");
  }
  auto& verdict = filed.verdict;
  CB_ASSIGN(verdict.outcome, word_in(json, "verdict", tasks::kConformOutcomes));
  verdict.level =
      value_in(trial::kProbeLevels, text_in(json, "level")).value_or(trial::ProbeLevel::kNone);
  verdict.conventions = texts_in(json, "conventions");
  CB_ASSIGN(verdict.divergence, divergence_in(json));
  verdict.ratio = number_in(json, "ratio").value_or(tasks::has_ratio(verdict) ? kBeyond : 0);
  verdict.reason = text_in(json, "reason");
  CB_ASSIGN(verdict.parts, parts_in(json));
  verdict.same_as = texts_in(json, "same_as");
  verdict.missed = texts_in(json, "missed");
  return filed;
}

}  // namespace

Result<std::vector<FiledVerdict>> read_conform_file(std::string_view json,
                                                    const std::string& place) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("verdicts") || !parsed["verdicts"].is_array()) {
    return tl::unexpected(Error{ErrorKind::kCorrupt,
                                "this is not what conform says",
                                place,
                                "`crossbind conform --json > FILE` writes it."});
  }
  std::vector<FiledVerdict> verdicts;
  for (const auto& one : parsed["verdicts"]) {
    CB_ASSIGN(auto verdict,
              verdict_in(one).map_error([&](Error&& error) { return std::move(error).at(place); }));
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace crossbind::report
