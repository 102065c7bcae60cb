// The words of the findings, the families of models and the order of bindings in tables.
#pragma once

#include <string_view>

#include "analysis/findings.h"

namespace crossbind::analysis {

[[nodiscard]] std::string_view to_string(Score score);  // "accuracy", "f1", "auc"
[[nodiscard]] std::string_view to_string(DtwMethod method);
[[nodiscard]] std::string_view to_string(Mode mode);
[[nodiscard]] std::string_view to_string(Reproduction outcome);

// What a claim is about: "training", or how an inference loads its model.
[[nodiscard]] std::string_view where_of(trial::Task task);

// What layers a model is made of, by the names of the ready ones.
enum class Family { kCnn, kRnn, kBert, kOther };
[[nodiscard]] Family family_of(std::string_view model);

// Where a binding stands in tables: python, javascript, rust, csharp, cpp, java, then all others.
[[nodiscard]] size_t rank_of(std::string_view binding);

}  // namespace crossbind::analysis
