#include "data/idx.h"

#include "data/fixtures.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using fixtures::bytes_of;
using fixtures::idx_images;
using fixtures::idx_labels;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

TEST(Idx, ReadsImages) {
  const std::string file = idx_images(3, 2, 5);
  const auto images = parse_idx_images(bytes_of(file), "f");
  ASSERT_THAT(images, is_ok());
  EXPECT_EQ(images->count, 3);
  EXPECT_EQ(images->rows, 2);
  EXPECT_EQ(images->columns, 5);
  ASSERT_EQ(images->pixels.size(), 30U);
  EXPECT_EQ(std::to_integer<int>(images->pixels[29]), 29);
}

TEST(Idx, ReadsLabels) {
  const std::string file = idx_labels({3, 9, 0});
  const auto labels = parse_idx_labels(bytes_of(file), 10, "f");
  ASSERT_THAT(labels, is_ok());
  ASSERT_EQ(labels->size(), 3U);
  EXPECT_EQ(std::to_integer<int>((*labels)[1]), 9);
}

TEST(Idx, NamesAWrongMagicNumber) {
  const std::string labels = idx_labels({1});
  EXPECT_THAT(parse_idx_images(bytes_of(labels), "train"),
              fails_with("train at byte 0: wrong magic number 0x00000801, expected 0x00000803"));
}

TEST(Idx, NamesALabelOutOfRangeAndItsOffset) {
  const std::string file = idx_labels({1, 2, 10, 3});
  EXPECT_THAT(parse_idx_labels(bytes_of(file), 10, "labels"),
              fails_with("labels at byte 10: label 10 of sample 2 is out of range 0..9"));
}

TEST(Idx, NamesWhereAFileEndsAtEveryLength) {
  const std::string whole = idx_images(2, 3, 3);
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    EXPECT_THAT(parse_idx_images(bytes_of(part), "f"),
                fails_with(HasSubstr(fmt::format("f at byte {}: ends", size))));
  }
}

TEST(Idx, RefusesBytesBehindTheData) {
  EXPECT_THAT(parse_idx_images(bytes_of(idx_images(2, 3, 3) + "xy"), "f"),
              fails_with("f at byte 34: 2 bytes more than declared"));
}

TEST(Idx, RefusesDimensionsThatOverflowOrVanish) {
  std::string file = idx_images(1, 1, 1);
  for (size_t i = 4; i < 16; ++i) {
    file[i] = '\xff';
  }
  EXPECT_THAT(parse_idx_images(bytes_of(file), "f"), fails_with(HasSubstr("overflow")));
  EXPECT_THAT(parse_idx_images(bytes_of(idx_images(0, 3, 3)), "f"),
              fails_with("f at byte 4: dimension 1 is zero"));
}

}  // namespace
}  // namespace crossbind::data
