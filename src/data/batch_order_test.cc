#include "data/batch_order.h"

#include <algorithm>

#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int64_t> flat(const std::vector<std::vector<int64_t>>& batches) {
  std::vector<int64_t> ids;
  for (const auto& batch : batches) {
    ids.insert(ids.end(), batch.begin(), batch.end());
  }
  return ids;
}

TEST(BatchOrder, KeepsFileOrderWithoutShufflingAndIncludesTheLastPartialBatch) {
  EXPECT_THAT(batch_order(1, 0, 7, 3, false),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5), ElementsAre(6)));
}

TEST(BatchOrder, HasNoEmptyBatch) {
  EXPECT_THAT(batch_order(1, 0, 0, 3, true), IsEmpty());
  EXPECT_THAT(batch_order(1, 0, 6, 3, true).size(), 2U);
  EXPECT_THAT(batch_order(1, 0, 2, 100, false), ElementsAre(ElementsAre(0, 1)));
}

TEST(BatchOrder, ShufflesEverySampleExactlyOnce) {
  auto ids = flat(batch_order(7, 3, 1000, 128, true));
  EXPECT_NE(ids, flat(batch_order(7, 3, 1000, 128, false)));
  std::ranges::sort(ids);
  EXPECT_EQ(ids, flat(batch_order(0, 0, 1000, 128, false)));
}

TEST(BatchOrder, DependsOnSeedAndEpochButNotOnTheBatchSize) {
  const auto ids = flat(batch_order(7, 3, 100, 10, true));
  EXPECT_EQ(ids, flat(batch_order(7, 3, 100, 33, true)));
  EXPECT_NE(ids, flat(batch_order(8, 3, 100, 10, true)));
  EXPECT_NE(ids, flat(batch_order(7, 4, 100, 10, true)));
}

}  // namespace
}  // namespace crossbind::data
