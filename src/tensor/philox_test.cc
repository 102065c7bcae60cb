#include "tensor/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace crossbind::tensor {
namespace {

using ::testing::ElementsAre;

// Known answers distributed with the authors' Random123 library (kat_vectors, philox4x32 10).
TEST(Philox, MatchesThePublishedVectors) {
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(PhiloxStream, IsAPureFunctionOfSeedPurposeAndIndex) {
  PhiloxStream a(7, Purpose::kWeights, 3);
  PhiloxStream b(7, Purpose::kWeights, 3);
  PhiloxStream other_seed(8, Purpose::kWeights, 3);
  PhiloxStream other_purpose(7, Purpose::kBatchOrder, 3);
  PhiloxStream other_index(7, Purpose::kWeights, 4);
  const uint32_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, other_seed.next());
  EXPECT_NE(first, other_purpose.next());
  EXPECT_NE(first, other_index.next());
}

TEST(PhiloxStream, UniformsFillTheUnitIntervalEvenly) {
  PhiloxStream stream(1, Purpose::kTest, 0);
  std::vector<int> bins(10);
  for (int i = 0; i < 100'000; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++bins[static_cast<size_t>(u * 10)];
  }
  double chi_square = 0;
  for (const int count : bins) {
    chi_square += (count - 10'000.0) * (count - 10'000.0) / 10'000.0;
  }
  EXPECT_LT(chi_square, 27.9);  // 99.9 % quantile of chi-square with 9 degrees of freedom
}

TEST(PhiloxStream, BelowIsUnbiasedAtAnAwkwardBound) {
  PhiloxStream stream(1, Purpose::kTest, 1);
  constexpr uint32_t kBound = 3U << 30;  // a quarter of all words must be rejected
  int low = 0;
  for (int i = 0; i < 30'000; ++i) {
    const uint32_t value = stream.below(kBound);
    ASSERT_LT(value, kBound);
    low += value < kBound / 3 ? 1 : 0;
  }
  EXPECT_NEAR(low, 10'000, 300);  // without rejection it would be 15,000; sigma is 82
}

TEST(Shuffle, PermutesAndIsFixedBySeed) {
  std::vector<int64_t> items(10);
  std::iota(items.begin(), items.end(), 0);
  PhiloxStream stream(42, Purpose::kBatchOrder, 0);
  shuffle(items, stream);
  // A test vector of the protocol: every implementation must produce this order.
  EXPECT_THAT(items, ElementsAre(8, 4, 1, 5, 2, 6, 0, 7, 3, 9));
  std::ranges::sort(items);
  EXPECT_THAT(items, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

}  // namespace
}  // namespace crossbind::tensor
