#include "model/work.h"

#include "testing/testing.h"

namespace crossbind::model {
namespace {

Work work_of_ready(const std::string& id) {
  const auto model = find_model(id, testing::source_path("models"), Geometry::kFull);
  EXPECT_THAT(model, testing::is_ok());
  return model ? work_of(*model) : Work{};
}

// Counted by hand from the layers.
TEST(Work, OfConvolutionsIsTheirWeightsAtEveryPlace) {
  const int64_t conv1 = 4 * 25 * 28 * 28;
  const int64_t conv2 = 12 * 4 * 25 * 10 * 10;
  const int64_t fc = 10 * 300;
  const Work work = work_of_ready("lenet1");
  EXPECT_EQ(work.multiply_adds, conv1 + conv2 + fc);
  EXPECT_EQ(work.values,
            32 * 32 + 2 * 4 * 28 * 28 + 4 * 14 * 14 + 2 * 12 * 10 * 10 + 2 * 12 * 5 * 5 + 10);
}

TEST(Work, OfASequenceIsItsWeightsAtEveryStep) {
  const int64_t lstm = 300 * (4 * 512 * 300 + 4 * 512 * 512);
  EXPECT_EQ(work_of_ready("lstm").multiply_adds, lstm + 512);
}

TEST(Work, OfAttentionHasItsScores) {
  constexpr int64_t kLength = 384;
  constexpr int64_t kWidth = 768;
  constexpr int64_t kInner = 3072;
  const int64_t products = kLength * (4 * kWidth * kWidth + 2 * kWidth * kInner);
  const int64_t scores = 2 * kLength * kLength * kWidth;
  EXPECT_EQ(work_of_ready("bert-base").multiply_adds,
            12 * (products + scores) + kLength * kWidth * 2);
}

}  // namespace
}  // namespace crossbind::model
