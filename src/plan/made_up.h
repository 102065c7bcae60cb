// Studies and facts for tests: bindings that can do everything, data sets that are there.
#pragma once

#include <string>
#include <string_view>

#include "plan/facts.h"
#include "plan/plan.h"
#include "spec/study.h"

namespace crossbind::plan {

inline constexpr std::string_view kOpening = R"(name = "mine"
title = "Mine"
seeds = [1, 2]
)";
inline constexpr std::string_view kBothTasks = R"(tasks = ["train", "infer-parameters"]
[training]
epochs = 3
[inference]
weights = "reference/cpp"
[[models]]
model = "lenet1"
dataset = "glyphs-2000-500"
[[models]]
model = "lenet5"
dataset = "glyphs-2000-500"
)";

// The study of these two with `keys` between them; models are the ready ones.
[[nodiscard]] spec::Study made_up_study(const std::string& keys);
[[nodiscard]] spec::Study parsed_study(const std::string& text);

[[nodiscard]] trial::Capabilities everything();

// reference/cpp, reference/python and pytorch/rust, able and ready; the data sets of the study.
[[nodiscard]] Facts made_up_facts(const spec::Study& study);

// The plan; fails the test when there is none.
[[nodiscard]] Plan planned(const spec::Study& study, const Facts& facts);

// The trial of a binding, model, task, seed and repeat; the first where several are.
struct Wanted {
  std::string binding = "reference/cpp";
  std::string model = "lenet1";
  trial::Task task = trial::Task::kTrain;
  uint32_t seed = 1;
  uint32_t repeat = 1;
};
[[nodiscard]] const Trial& find(const spec::Study& study, const Plan& plan, const Wanted& wanted);

}  // namespace crossbind::plan
