#include "published/recomputed.h"

#include "testing/testing.h"

namespace crossbind::published {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

const RocCurve kDiagonal{{0, 1}, {0, 1}};
const RocCurve kStep{{0, 0, 1}, {0, 1, 1}};

auto kinds(std::initializer_list<std::string> names) {
  std::vector<::testing::Matcher<Discrepancy>> matchers;
  for (const auto& name : names) {
    matchers.push_back(Field(&Discrepancy::kind, name));
  }
  return ::testing::ElementsAreArray(matchers);
}

TEST(Recomputed, AreaIsThatOfTrapezoids) {
  EXPECT_DOUBLE_EQ(area_under(kDiagonal), 0.5);
  EXPECT_DOUBLE_EQ(area_under(kStep), 1);
}

// At 0 the second curve is taken at the top of its step: mean heights 0.5 and 1.
TEST(Recomputed, AreaOfTheMeanTakesTheUpperEndOfAStep) {
  EXPECT_DOUBLE_EQ(area_under_mean({{"0", kDiagonal}, {"1", kStep}}), 0.75);
  EXPECT_DOUBLE_EQ(area_under_mean({{"0", kStep}}), 1);
}

TEST(Recomputed, NothingIsFoundWhereAllAgrees) {
  TrainingFiles files;
  files.train_accuracy = {0.5, 0.75};
  files.test_accuracy = {0.5, 0.625};
  files.cost = TimeCost{.training = 3,
                        .total = 5,
                        .evaluation = 2,
                        .test_accuracy = 0.6250000001,
                        .train_accuracy = 0.75,
                        .seed = 7};
  files.roc = RocAuc{.macro = 0.75,
                     .by_class = {{"0", 0.5}, {"1", 1}},
                     .curves = {{"0", kDiagonal}, {"1", kStep}},
                     .same = true,
                     .accuracy = 0.625,
                     .expected = 0.625};
  EXPECT_THAT(recompute(files, 7), IsEmpty());
}

TEST(Recomputed, EveryClaimOfATrainingIsHeldAgainstItsNumbers) {
  TrainingFiles files;
  files.train_accuracy = {0.5};
  files.test_accuracy = {0.5};
  files.cost = TimeCost{.training = 4,
                        .total = 5,
                        .evaluation = 2,
                        .test_accuracy = 0.625,
                        .train_accuracy = 0.75,
                        .seed = 8};
  files.roc = RocAuc{.macro = 0.5,
                     .by_class = {{"0", 0.625}, {"1", 1}},
                     .curves = {{"0", kDiagonal}, {"1", kStep}},
                     .same = true,
                     .accuracy = 0.625,
                     .expected = 0.5};
  EXPECT_THAT(recompute(files, 7),
              kinds({"training_time",
                     "seed",
                     "test_accuracy",
                     "train_accuracy",
                     "evaluation_flag",
                     "evaluation",
                     "auc_of_class_0",
                     "macro_auc"}));
}

TEST(Recomputed, AnAverageIsThatOfItsTimes) {
  Inference inference;
  inference.test = {.seconds = {1, 2, 3, 4, 5}, .average = 3};
  EXPECT_THAT(recompute(inference), IsEmpty());
  inference.train = {.seconds = {1, 2, 3, 4, 5}, .average = 2.5};
  EXPECT_THAT(recompute(inference), kinds({"train_average"}));
}

}  // namespace
}  // namespace crossbind::published
