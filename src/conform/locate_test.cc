#include "conform/locate.h"

#include "conform/workbench.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

TEST(DivergenceOf, HasErrorAndBoundInTheTensorsOwnUnits) {
  const auto model =
      model::find_model("lenet5", testing::source_path("models"), model::Geometry::kConform)
          .value();
  const auto divergence = divergence_of(
      model,
      Kind::kUpdate,
      {.tensor = "fc1.weight", .expected = 1, .came = 1.5, .bound = 0.25, .ratio = 2});
  EXPECT_EQ(divergence.kind, Kind::kUpdate);
  EXPECT_EQ(divergence.layer, "fc1");
  EXPECT_EQ(divergence.tensor, "fc1.weight");
  EXPECT_DOUBLE_EQ(divergence.error, 0.5);
  EXPECT_DOUBLE_EQ(divergence.bound, 0.25);
}

TEST(Locate, AStepThatIsRightHasTheLargestRatioOfAll) {
  const auto steps = steps_of("flat", true);
  const auto found = locate(steps.work.model, steps.second).value();
  EXPECT_EQ(found.divergence, std::nullopt);
  EXPECT_GT(found.ratio, 0);
  EXPECT_LE(found.ratio, 1);
}

TEST(Locate, AStepThatIsWrongHasTheRatioOfWhatDiverges) {
  auto steps = steps_of("flat", true);
  *steps.second.loss *= 2;
  const auto found = locate(steps.work.model, steps.second).value();
  ASSERT_TRUE(found.divergence.has_value());
  EXPECT_EQ(found.divergence->kind, Kind::kLoss);
  EXPECT_DOUBLE_EQ(found.ratio, found.divergence->error / found.divergence->bound);
}

}  // namespace
}  // namespace crossbind::conform
