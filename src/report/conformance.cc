#include "report/conformance.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace crossbind::report {
namespace {

using Json = nlohmann::json;

// The words of docs/conform.md. A divergence that is known is one all the same.
constexpr std::array kWords = {
    Named<Agreement>{"agrees bit for bit", Agreement::kAgrees},
    Named<Agreement>{"agrees within rounding", Agreement::kRounding},
    Named<Agreement>{"convention", Agreement::kConvention},
    Named<Agreement>{"known", Agreement::kDiverges},
    Named<Agreement>{"diverges", Agreement::kDiverges},
    Named<Agreement>{"unsupported", Agreement::kUnsupported},
    Named<Agreement>{"failed", Agreement::kFailed},
};

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

std::string where(const Json& divergence) {
  std::string text =
      fmt::format("conform: {} of {}", text_in(divergence, "kind"), text_in(divergence, "part"));
  for (const auto* name : {"layer", "tensor", "detail"}) {
    if (const std::string value = text_in(divergence, name); !value.empty()) {
      text += fmt::format(", {} {}", name, value);
    }
  }
  if (const auto ratio = number_in(divergence, "ratio")) {
    text += fmt::format(", {:.3g} times its bound", *ratio);
  }
  const std::string cause = text_in(divergence, "cause");
  return text + (cause.empty() ? "; the cause is unknown." : fmt::format("; cause: {}.", cause));
}

std::vector<std::string> why(const Json& verdict, const std::string& word) {
  std::vector<std::string> lines = {fmt::format("conform: {}.", word)};
  if (const auto ratio = number_in(verdict, "ratio")) {
    lines.push_back(fmt::format("conform: the largest error is {:.3g} of its bound.", *ratio));
  }
  if (const auto all = verdict.find("conventions"); all != verdict.end() && all->is_array()) {
    for (const auto& convention : *all) {
      if (convention.is_string()) {
        lines.push_back(fmt::format("conform: {}.", convention.get<std::string>()));
      }
    }
  }
  if (const std::string reason = text_in(verdict, "reason"); !reason.empty()) {
    lines.push_back(fmt::format("conform: {}", reason));
  }
  if (const auto found = verdict.find("divergence"); found != verdict.end() && found->is_object()) {
    lines.push_back(where(*found));
  }
  return lines;
}

void name(const std::string& text, std::vector<std::string>& names) {
  if (std::ranges::find(names, text) == names.end()) {
    names.push_back(text);
  }
}

using Cells = std::map<std::pair<std::string, std::string>, Verdict>;

Status take(const Json& verdict, const std::string& place, Cells& cells, Report& into) {
  const std::string binding = verdict.is_object() ? text_in(verdict, "binding") : "";
  const std::string model = verdict.is_object() ? text_in(verdict, "model") : "";
  const std::string word = verdict.is_object() ? text_in(verdict, "verdict") : "";
  const auto agreement = value_in(kWords, word);
  if (binding.empty() || model.empty() || !agreement) {
    return fail(ErrorKind::kCorrupt,
                "{}: a verdict without a binding, a model or a word that is known ('{}')",
                place,
                word);
  }
  name(binding, into.bindings);
  name(model, into.models);
  auto& cell = cells.try_emplace({binding, model}, Verdict{binding, model}).first->second;
  if (cell.agreement != Agreement::kDiverges) {
    cell.agreement = *agreement;
  }
  ++cell.judged;
  if (const auto ratio = number_in(verdict, "ratio")) {
    cell.largest_error = std::max(cell.largest_error.value_or(*ratio), *ratio);
  }
  auto lines = why(verdict, word);
  cell.why.insert(cell.why.begin(), lines.begin(), lines.end());
  return {};
}

}  // namespace

Status add_conformance(std::string_view json, const std::string& place, Report& into) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("verdicts") || !parsed["verdicts"].is_array()) {
    return tl::unexpected(Error{ErrorKind::kCorrupt,
                                "this is not what conform says",
                                place,
                                "`crossbind conform --json > FILE` writes it."});
  }
  Cells cells;
  for (auto& verdict : into.verdicts) {
    cells.emplace(std::pair(verdict.binding, verdict.model), std::move(verdict));
  }
  for (const auto& verdict : parsed["verdicts"]) {
    CB_TRY(take(verdict, place, cells, into));
  }
  into.verdicts.clear();
  for (const auto& binding : into.bindings) {
    for (const auto& model : into.models) {
      into.verdicts.push_back(
          cells.try_emplace({binding, model}, Verdict{binding, model}).first->second);
    }
  }
  return {};
}

}  // namespace crossbind::report
