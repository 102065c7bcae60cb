#include <cmath>

#include "conform/premise.h"
#include "conform/workbench.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using Shown = judge::RecordedStep;

// Lets the layers before one be as they are, and shows another output of that one. What comes
// after it is not looked at.
std::function<void(Shown&, const Steps&)> changed_output(
    const std::string& name, const std::function<float(size_t, float)>& change) {
  return [name, change](Shown& step, const Steps&) {
    rewrite(step.tensors.at(name), [&](std::span<float> values) {
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = change(i, values[i]);
      }
    });
  };
}

void softmax_rows(std::span<float> values, size_t width) {
  for (size_t row = 0; row < values.size(); row += width) {
    float sum = 0;
    for (float& value : values.subspan(row, width)) {
      sum += value = std::exp(value);
    }
    for (float& value : values.subspan(row, width)) {
      value /= sum;
    }
  }
}

std::vector<Bug> mode_bugs() {
  return {
      {"frozen_norm",
       "image",
       true,
       {},
       [](Shown& step, const Steps& s) {
         Work work = s.work;
         work.trains = false;
         step.tensors.at("bn.out") = recorded(work).tensors.at("bn.out");
       },
       "bn.out",
       "batch norm uses running statistics in training"},
      {"training_norm",
       "image",
       false,
       {},
       [](Shown& step, const Steps& s) {
         Work work = s.work;
         work.trains = true;
         step.tensors = recorded(work).tensors;
       },
       "bn.out",
       "batch norm uses batch statistics at evaluation"},
      {"dropout_scaled",
       "image",
       false,
       {},
       changed_output("dropout.out", [](size_t, float x) { return x * 0.75F; }),
       "dropout.out",
       "dropout multiplies by 1 - rate at evaluation"},
      {"dropout_divided",
       "image",
       false,
       {},
       changed_output("dropout.out", [](size_t, float x) { return x / 0.75F; }),
       "dropout.out",
       "dropout divides by 1 - rate at evaluation"},
      {"dropout_active",
       "image",
       false,
       {},
       changed_output("dropout.out",
                      [](size_t i, float x) { return i % 5 == 2 ? 0.0F : x / 0.75F; }),
       "dropout.out",
       "dropout drops values at evaluation"},
      {"dropout_on",
       "image",
       true,
       {},
       changed_output("dropout.out",
                      [](size_t i, float x) { return i % 5 == 2 ? 0.0F : x / 0.75F; }),
       "dropout.out",
       "dropout drops values although it is off"},
      {"softmax_output",
       "image",
       true,
       {},
       [](Shown& step, const Steps&) {
         rewrite(step.tensors.at("fc.out"),
                 [](std::span<float> values) { softmax_rows(values, 5); });
       },
       "fc.out",
       "softmax applied twice"},
      {"softmax_at_evaluation",
       "image",
       false,
       {},
       [](Shown& step, const Steps&) {
         rewrite(step.tensors.at("fc.out"),
                 [](std::span<float> values) { softmax_rows(values, 5); });
       },
       "fc.out",
       "softmax applied to the output"},
      {"channels_last_flatten",
       "image",
       true,
       {},
       [](Shown& step, const Steps&) {
         const auto image = values_of(step.tensors.at("mean.out"));  // [6, 4, 2, 2]
         rewrite(step.tensors.at("flatten.out"), [&](std::span<float> values) {
           for (size_t i = 0; i < values.size(); ++i) {
             values[i] = image[i / 16 * 16 + i % 4 * 4 + i % 16 / 4];
           }
         });
       },
       "flatten.out",
       "flattened with the channels last"},
  };
}

class ModeCause : public ::testing::TestWithParam<Bug> {};

TEST_P(ModeCause, IsNamed) {
  check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Bugs, ModeCause, ::testing::ValuesIn(mode_bugs()), name_of_bug);

}  // namespace
}  // namespace crossbind::conform
