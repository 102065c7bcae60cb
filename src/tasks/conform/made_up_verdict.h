// Verdicts of conform with made-up contents, for properties that hold of all of them.
#pragma once

#include <rapidcheck.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tasks/conform/result.h"

namespace crossbind::tasks {

[[nodiscard]] inline rc::Gen<std::vector<double>> numbers() {
  return rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(-1000, 1000), [](int n) { return n / 7.0; }));
}

[[nodiscard]] inline std::optional<double> maybe_number() {
  const auto some = *numbers();
  return some.empty() ? std::nullopt : std::optional(some.front());
}

template <typename T, size_t N>
[[nodiscard]] T one_of(const std::array<Named<T>, N>& names) {
  return names[*rc::gen::inRange<size_t>(0, N)].value;
}

[[nodiscard]] inline std::optional<Divergence> maybe_divergence(ConformPart part,
                                                                const rc::Gen<std::string>& text) {
  if (*rc::gen::arbitrary<bool>()) {
    return std::nullopt;
  }
  return Divergence{.part = part,
                    .kind = one_of(trial::kKinds),
                    .seed = *rc::gen::arbitrary<uint64_t>(),
                    .step = *rc::gen::arbitrary<int64_t>(),
                    .layer = *text,
                    .tensor = *text,
                    .error = maybe_number().value_or(std::numeric_limits<double>::infinity()),
                    .bound = maybe_number().value_or(1e-7),
                    .detail = *text,
                    .cause = *text,
                    .repro = *text};
}

// Its texts are drawn from `text`.
[[nodiscard]] inline Conformed made_up_verdict(const rc::Gen<std::string>& text) {
  const auto some_texts = [&] {
    return *rc::gen::container<std::vector<std::string>>(
        rc::gen::suchThat(text, [](const std::string& one) { return !one.empty(); }));
  };
  Conformed conformed{.level = one_of(trial::kProbeLevels),
                      .outcome = one_of(kConformOutcomes),
                      .ratio = maybe_number().value_or(std::numeric_limits<double>::infinity()),
                      .conventions = some_texts(),
                      .divergence = maybe_divergence(ConformPart::kLoader, text),
                      .reason = *text,
                      .parts = {},
                      .same_as = some_texts(),
                      .missed = some_texts()};
  for (const auto& [name, part] : kConformParts) {
    if (*rc::gen::arbitrary<bool>()) {
      conformed.parts.push_back({part,
                                 one_of(kConformOutcomes),
                                 maybe_number().value_or(0),
                                 maybe_divergence(part, text),
                                 *text});
    }
  }
  return conformed;
}

}  // namespace crossbind::tasks
