#include "conform/cause.h"

#include "conform/premise.h"
#include "conform/workbench.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

class UnknownCauseTest : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

TEST_P(UnknownCauseTest, StepsThatAreRightHaveNothingToExplain) {
  const auto& [model, trains] = GetParam();
  const Steps steps = steps_of(model, trains);
  EXPECT_EQ(first_divergence(steps.work.model, steps.second).tensor, "");
  for (const auto& [name, tensor] : steps.second.tensors) {
    EXPECT_EQ(find_cause(steps.scene(), {.tensor = name}), std::nullopt) << name;
  }
}

TEST_P(UnknownCauseTest, AnErrorThatNoAlternativeMakesHasNone) {
  const auto& [model, trains] = GetParam();
  const Steps right = steps_of(model, trains);
  for (const auto& [name, tensor] : right.second.tensors) {
    for (const bool everywhere : {false, true}) {
      Steps steps = right;
      rewrite(steps.second.tensors.at(name), [&](std::span<float> values) {
        for (float& value : everywhere ? values : values.first(1)) {
          value = 1.01F * value + 0.01F;
        }
      });
      EXPECT_EQ(find_cause(steps.scene(), {.tensor = name}), std::nullopt) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         UnknownCauseTest,
                         ::testing::Combine(::testing::Values("image", "gru", "lstm", "flat"),
                                            ::testing::Bool()));

TEST(FindCause, IsUnknownWhereTheLayersInputIsNotShown) {
  Steps steps = steps_of("image", true);
  scale(steps.second.tensors.at("pool.out"), 2);
  steps.second.tensors.erase("bn.out");
  EXPECT_EQ(find_cause(steps.scene(), {.tensor = "pool.out"}), std::nullopt);
}

}  // namespace
}  // namespace crossbind::conform
