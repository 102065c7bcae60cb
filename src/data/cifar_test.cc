#include "data/cifar.h"

#include "data/fixtures.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using fixtures::bytes_of;
using fixtures::cifar_batch;
using testing::fails_with;
using testing::is_ok;

TEST(CifarBatch, ReadsRecords) {
  const std::string file = cifar_batch({6, 9});
  const auto batch = CifarBatch::parse(bytes_of(file), "b");
  ASSERT_THAT(batch, is_ok());
  ASSERT_EQ(batch->size(), 2U);
  EXPECT_EQ(batch->label(1), 9);
  ASSERT_EQ(batch->pixels(1).size(), 3072U);
  EXPECT_EQ(std::to_integer<int>(batch->pixels(1)[2]), 3);
}

TEST(CifarBatch, NamesALabelOutOfRangeAndItsOffset) {
  EXPECT_THAT(CifarBatch::parse(bytes_of(cifar_batch({6, 10})), "b"),
              fails_with("b at byte 3073: label 10 of sample 1 is out of range 0..9"));
}

TEST(CifarBatch, NamesATruncatedRecord) {
  const std::string file = cifar_batch({6, 9});
  EXPECT_THAT(CifarBatch::parse(bytes_of(file.substr(0, 6000)), "b"),
              fails_with("b at byte 6000: ends after 2927 of the 3073 bytes of a record"));
  EXPECT_THAT(CifarBatch::parse({}, "b"),
              fails_with("b at byte 0: ends after 0 of the 3073 bytes of a record"));
}

}  // namespace
}  // namespace crossbind::data
