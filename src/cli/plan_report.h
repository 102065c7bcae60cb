// How a plan looks: a summary for people, every trial with its reason, JSON for programs. What may
// be a million lines is written line by line, never held as one text.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plan/estimate.h"
#include "plan/plan.h"
#include "spec/study.h"

namespace crossbind::cli {

using Output = std::function<void(std::string_view)>;

// Trials by binding and model, about how long they take, what the study leaves out, and what
// stands in the way of those that cannot run.
[[nodiscard]] std::string plan_summary(const spec::Study& study,
                                       const plan::Plan& plan,
                                       const plan::Estimate& estimated);

// Every trial in the order they run, one a line: number, identity, what it is, the reason.
void explain_plan(const spec::Study& study, const plan::Plan& plan, const Output& output);

// One document: {"study": ..., "counts": ..., "trials": [...]}, a trial a line.
void plan_json(const spec::Study& study,
               const plan::Plan& plan,
               const plan::Estimate& estimated,
               const Output& output);

}  // namespace crossbind::cli
