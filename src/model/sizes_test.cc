#include "model/sizes.h"

#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::ElementsAre;

TEST(Sizes, AreThoseThatTheAuthorChose) {
  Layer layer = Embedding{.entries = 9, .width = 4, .padding_index = 2};
  const auto sizes = chosen_sizes(layer);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(*sizes[0], 9);
  EXPECT_EQ(*sizes[1], 4);
}

TEST(Sizes, PointIntoTheLayer) {
  Layer layer = Conv2d{.in_channels = 3, .out_channels = 8, .kernel = {5, 5}};
  const auto sizes = chosen_sizes(layer);
  ASSERT_EQ(sizes.size(), 1U);
  *sizes[0] = 2;
  EXPECT_EQ(std::get<Conv2d>(layer).out_channels, 2);
  EXPECT_EQ(std::get<Conv2d>(layer).in_channels, 3);
}

TEST(Sizes, AreNoneWhereTheInputDecidesAll) {
  Layer layer = BatchNorm{.features = 7};
  EXPECT_THAT(chosen_sizes(layer), ElementsAre());
}

}  // namespace
}  // namespace crossbind::model
