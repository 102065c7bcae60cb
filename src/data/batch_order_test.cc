#include "data/batch_order.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/file.h"
#include "tensor/philox.h"
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

// protocol/vectors.json was computed by protocol/make_vectors.py, which shares no code with us.
TEST(BatchOrder, EqualsTheVectorsOfTheProtocol) {
  const auto text = read_file(testing::source_path("protocol/vectors.json"));
  ASSERT_THAT(text, testing::is_ok());
  const auto vectors = nlohmann::json::parse(*text);
  ASSERT_FALSE(vectors["philox"].empty());
  for (const auto& block : vectors["philox"]) {
    EXPECT_EQ(tensor::philox(block["counter"].get<tensor::PhiloxBlock>(),
                             block["key"].get<tensor::PhiloxKey>()),
              block["words"].get<tensor::PhiloxBlock>());
  }
  ASSERT_FALSE(vectors["orders"].empty());
  for (const auto& vector : vectors["orders"]) {
    const auto batches = batch_order(vector["seed"].get<uint32_t>(),
                                     vector["epoch"].get<uint32_t>(),
                                     vector["samples"].get<int64_t>(),
                                     vector["batch_size"].get<int64_t>(),
                                     true);
    EXPECT_EQ(flat(batches), vector["order"].get<std::vector<int64_t>>());
  }
}

}  // namespace
}  // namespace crossbind::data
