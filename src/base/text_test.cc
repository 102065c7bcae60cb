#include "base/text.h"

#include <gtest/gtest.h>

namespace crossbind {
namespace {

TEST(Text, GroupsThousands) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(33650890), "33,650,890");
  EXPECT_EQ(with_thousands(-123456), "-123,456");
}

TEST(Text, HasOneWordForOneAndAnotherForAllOtherCounts) {
  EXPECT_EQ(plural(0, "trial", "trials"), "trials");
  EXPECT_EQ(plural(1, "trial", "trials"), "trial");
  EXPECT_EQ(plural(2, "trial", "trials"), "trials");
}

TEST(Text, ShowsBytesInBinaryUnits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(uint64_t{5} << 30), "5.0 GiB");
}

TEST(Text, ShowsDurationsInTheirOwnUnit) {
  EXPECT_EQ(human_duration(std::chrono::milliseconds(12)), "12.0 ms");
  EXPECT_EQ(human_duration(std::chrono::milliseconds(2500)), "2.5 s");
  EXPECT_EQ(human_duration(std::chrono::seconds(125)), "2 min 05 s");
  EXPECT_EQ(human_duration(std::chrono::minutes(125)), "2 h 05 min");
}

TEST(Text, SuggestsTheNearestWordOnlyWhenItIsNear) {
  const std::vector<std::string> keys = {"kernel", "stride", "pads"};
  EXPECT_EQ(nearest("kernal", keys), "kernel");
  EXPECT_EQ(nearest("strides", keys), "stride");
  EXPECT_EQ(nearest("mnits", {"mnist", "imdb"}), "mnist");  // swapped letters are one mistake
  EXPECT_EQ(nearest("zzzzzz", keys), "");
  EXPECT_EQ(nearest("", keys), "");
}

}  // namespace
}  // namespace crossbind
