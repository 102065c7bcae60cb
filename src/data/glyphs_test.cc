#include "data/glyphs.h"

#include <array>
#include <map>

#include "base/digest.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::Eq;
using ::testing::Optional;

Content make(int64_t train, int64_t test, uint32_t seed, int threads) {
  SilentProgress progress;
  return make_glyphs({train, test, seed}, threads, progress);
}

const Pixels& pixels(const Content& content, size_t field) {
  return std::get<Pixels>(content.fields.at(field).values);
}

TEST(Glyphs, AreTheSameBytesOnEveryMachine) {
  const auto content = make(100, 20, 1, 1);
  // The bytes are the contract: a change here changes every result that was measured on glyphs.
  EXPECT_EQ(sha256_hex(std::as_bytes(std::span(pixels(content, 0)))),
            "bfc12844aefc9ab6673f709a213558838a42d7ce3b6bd7863dba4d115a6492f6");
  EXPECT_EQ(sha256_hex(std::as_bytes(std::span(pixels(content, 2)))),
            "dde7faa45f9d3f1c99424f6e807f5b70cc2f7b567cf0ed1dff5700c7d47b3429");
}

TEST(Glyphs, DoNotDependOnTheNumberOfThreads) {
  const auto one = make(300, 20, 5, 1);
  const auto three = make(300, 20, 5, 3);
  for (size_t i = 0; i < one.fields.size(); ++i) {
    EXPECT_EQ(one.fields[i].values, three.fields[i].values) << i;
  }
}

TEST(Glyphs, ASmallerSetIsTheBeginningOfALargerOne) {
  const auto small = make(50, 10, 1, 1);
  const auto large = make(80, 30, 1, 1);
  for (const size_t field : {0, 2}) {
    const auto& expected = pixels(small, field);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), pixels(large, field).begin()));
  }
}

TEST(Glyphs, DifferBySeedAndBetweenTrainAndTest) {
  const auto content = make(20, 20, 1, 1);
  EXPECT_NE(pixels(content, 0), pixels(make(20, 20, 2, 1), 0));
  EXPECT_NE(pixels(content, 0), pixels(content, 2));
}

TEST(Glyphs, HaveEveryDigitAboutEquallyOften) {
  const auto content = make(5000, 1, 1, 2);
  std::map<int64_t, int> counts;
  for (const int64_t label : std::get<Numbers>(content.fields[1].values)) {
    ++counts[label];
  }
  ASSERT_EQ(counts.size(), 10U);
  for (const auto& [digit, count] : counts) {
    // 500 expected; five standard deviations of the binomial distribution are 106.
    EXPECT_NEAR(count, 500, 106) << digit;
  }
}

TEST(Glyphs, HaveInkNearTheMiddle) {
  std::array<uint8_t, kGlyphPixels> image{};
  for (uint32_t i = 0; i < 200; ++i) {
    draw_glyph(1, i, image);
    int brightest = 0;
    for (size_t y = 7; y < 21; ++y) {
      for (size_t x = 7; x < 21; ++x) {
        brightest = std::max<int>(brightest, image[y * kGlyphSide + x]);
      }
    }
    EXPECT_GT(brightest, 80) << i;
  }
}

TEST(GlyphsId, NamesSizesAndSeedsThatAreNotTheUsualOnes) {
  EXPECT_EQ(glyphs_id({}), "glyphs");
  EXPECT_EQ(glyphs_id({2000, 500, 1}), "glyphs-2000-500");
  EXPECT_EQ(glyphs_id({2000, 500, 7}), "glyphs-2000-500-seed7");
  EXPECT_EQ(glyphs_id({60'000, 10'000, 7}), "glyphs-seed7");
}

TEST(GlyphsId, IsReadBack) {
  for (const GlyphOptions options :
       {GlyphOptions{}, {2000, 500, 1}, {2000, 500, 7}, {60'000, 10'000, 7}}) {
    EXPECT_THAT(glyphs_from_id(glyphs_id(options)), Optional(Eq(options)));
  }
  for (const std::string wrong : {"mnist",
                                  "glyphs-",
                                  "glyphs-5",
                                  "glyphs-05-5",
                                  "glyphs-5-5-seed1",
                                  "glyphs-0-5",
                                  "glyphs--5-5",
                                  "glyphs-5-5x",
                                  "glyphs-60000-10000",
                                  "glyphs-99999999999-1",
                                  "glyphs-seed",
                                  "glyphs-seed-3"}) {
    EXPECT_EQ(glyphs_from_id(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace crossbind::data
