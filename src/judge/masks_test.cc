#include "judge/masks.h"

#include "tensor/philox.h"
#include "testing/testing.h"

namespace crossbind::judge {
namespace {

constexpr int64_t kMaskSamples = 8;
constexpr size_t kFeatures = 16;
constexpr size_t kMaskSteps = 4;
constexpr double kMaskRate = 0.25;
constexpr double kOtherRate = 0.4;
constexpr double kLevel = 1e-9;

using MaskSteps = std::vector<std::vector<Mask>>;

// Masks of two layers as a right implementation draws them.
MaskSteps right_masks(uint32_t seed) {
  tensor::PhiloxStream stream(seed, tensor::Purpose::kTest, 7);
  MaskSteps steps(kMaskSteps);
  for (auto& masks : steps) {
    for (const auto& [layer, rate] :
         {std::pair("first", kMaskRate), std::pair("second", kOtherRate)}) {
      Mask mask{layer, rate, kMaskSamples, {}};
      for (size_t i = 0; i < kMaskSamples * kFeatures; ++i) {
        mask.drawn.push_back(stream.uniform() < rate ? Drawn::kDropped : Drawn::kKept);
      }
      masks.push_back(std::move(mask));
    }
  }
  return steps;
}

// What is found in masks that `change` has made wrong.
std::pair<std::string, MaskAspect> found_in(const std::function<void(MaskSteps&)>& change) {
  MaskSteps steps = right_masks(1);
  change(steps);
  const auto questions = question_masks(steps);
  const auto* failed = failed_question(questions, kLevel, std::ssize(questions));
  return failed == nullptr ? std::pair(std::string(), MaskAspect::kRate)
                           : std::pair(failed->layer, failed->aspect);
}

TEST(Masks, ThatAreRightFailNoQuestion) {
  EXPECT_EQ(found_in([](MaskSteps&) {}).first, "");
}

TEST(Masks, DroppedWithAnotherRateAreFound) {
  EXPECT_EQ(found_in([](MaskSteps& steps) {
              for (auto& masks : steps) {
                for (Drawn& drawn : masks[0].drawn) {
                  drawn = drawn == Drawn::kKept ? Drawn::kDropped : Drawn::kKept;
                }
              }
            }),
            std::pair(std::string("first"), MaskAspect::kRate));
}

TEST(Masks, OfOneSampleForAllAreFound) {
  EXPECT_EQ(found_in([](MaskSteps& steps) {
              for (auto& masks : steps) {
                auto& drawn = masks[1].drawn;
                for (size_t i = kFeatures; i < drawn.size(); ++i) {
                  drawn[i] = drawn[i % kFeatures];
                }
              }
            }),
            std::pair(std::string("second"), MaskAspect::kSamples));
}

TEST(Masks, OfWholeChannelsAreFound) {
  EXPECT_EQ(found_in([](MaskSteps& steps) {
              for (auto& masks : steps) {
                auto& drawn = masks[1].drawn;
                for (size_t i = 0; i < drawn.size(); ++i) {
                  drawn[i] = drawn[i / 4 * 4];
                }
              }
            }),
            std::pair(std::string("second"), MaskAspect::kFeatures));
}

TEST(Masks, ThatAreTheSameInEveryStepAreFound) {
  EXPECT_EQ(found_in([](MaskSteps& steps) {
              for (auto& masks : steps) {
                masks[0].drawn = steps.front()[0].drawn;
              }
            }),
            std::pair(std::string("first"), MaskAspect::kSteps));
}

TEST(Masks, ThatTwoLayersShareAreFound) {
  EXPECT_EQ(found_in([](MaskSteps& steps) {
              for (auto& masks : steps) {
                masks[1].drawn = masks[0].drawn;
                masks[1].rate = masks[0].rate;
              }
            }),
            std::pair(std::string("second"), MaskAspect::kLayers));
}

TEST(Masks, OfInputsThatAreZeroSayNothing) {
  MaskSteps steps = right_masks(1);
  for (auto& masks : steps) {
    for (auto& mask : masks) {
      std::ranges::fill(mask.drawn, Drawn::kUnknown);
    }
  }
  for (const auto& question : question_masks(steps)) {
    EXPECT_EQ(question.trials, 0);
    EXPECT_EQ(question.p_value, 1);
  }
}

// The level is a promise about right implementations: of many runs, at most that share is accused.
// Discrete tests keep below it; they must not keep so far below that they would find nothing.
TEST(Masks, ThatAreRightAreAccusedNoMoreOftenThanTheLevelSays) {
  constexpr uint32_t kRuns = 20'000;
  for (const double level : {1e-2, 1e-3}) {
    int alarms = 0;
    for (uint32_t seed = 1; seed <= kRuns; ++seed) {
      const auto questions = question_masks(right_masks(seed));
      alarms += failed_question(questions, level, std::ssize(questions)) != nullptr ? 1 : 0;
    }
    const double expected = level * kRuns;
    // Three standard deviations of a Poisson count above what is allowed.
    EXPECT_LE(alarms, expected + 3 * std::sqrt(expected)) << level;
    EXPECT_GE(alarms, expected / 5) << level;
  }
}

TEST(Masks, AreReadFromInputsAndOutputs) {
  const auto model = model::parse_model(R"(
id = "drops"
title = "drops"
dataset = "none"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 2
layers = [
  { name = "drop", type = "dropout", rate = 0.25 },
  { name = "fc", type = "linear", out = 2, bias = true },
]
[inputs]
x = { shape = [3] }
[optimizer]
type = "sgd"
rate = 0.1
momentum = 0.0
)",
                                        "drops",
                                        model::Geometry::kFull)
                         .value();
  RecordedStep step{.drops = true};
  referee::Array<double> input(tensor::Shape{2, 3});
  input.values = {1, 0, 3, 4, 5, 6};
  step.batch.inputs = {input};
  step.tensors.emplace("drop.out", tensor::Tensor({2, 3}, std::vector<float>{0, 0, 4, 0, 0, 8}));
  const auto masks = masks_of(model, step);
  ASSERT_EQ(masks.size(), 1U);
  EXPECT_EQ(masks[0].layer, "drop");
  EXPECT_EQ(masks[0].samples, 2);
  EXPECT_THAT(masks[0].drawn,
              ::testing::ElementsAre(Drawn::kDropped,
                                     Drawn::kUnknown,
                                     Drawn::kKept,
                                     Drawn::kDropped,
                                     Drawn::kDropped,
                                     Drawn::kKept));
}

}  // namespace
}  // namespace crossbind::judge
