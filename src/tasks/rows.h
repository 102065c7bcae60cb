// What the rows of several tasks share. Only this folder includes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/record.h"
#include "tasks/contradiction.h"

namespace crossbind::tasks {

// The seconds of each step before what is measured, in trainings and inferences.
inline constexpr std::string_view kWarmup = "warmup.step";
inline constexpr std::string_view kOutputsHash = "outputs_sha256";
// What the referee says, of a training's first steps and of a whole conformance test.
inline constexpr std::string_view kVerdict = "verdict";

// Nothing for no values: a store refuses a series without any.
void add_series(std::string_view metric,
                int epoch,
                const std::vector<double>& values,
                store::TrialRecord& into);

// Nothing for an empty value: it is one that is not known.
void add_fact(std::string_view name, const std::string& value, store::TrialRecord& into);

// Empty where there is none.
[[nodiscard]] std::string fact_in(const store::TrialRecord& trial, std::string_view name);

void append(const store::Series& series, std::vector<double>& into);

void add_contradictions(const std::vector<Contradiction>& all, store::TrialRecord& into);
[[nodiscard]] std::vector<Contradiction> contradictions_in(const store::TrialRecord& trial);

// A number as text that comes back as the same number, infinities included.
[[nodiscard]] std::string text_of(double number);
[[nodiscard]] double number_in(std::string_view text);  // 0 for what is none

// A store keeps finite numbers only: what is no number, or beyond this, is this.
inline constexpr double kFarthest = 1e300;
[[nodiscard]] double storable(double ratio);

}  // namespace crossbind::tasks
