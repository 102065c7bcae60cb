#include "model/members.h"

#include <gtest/gtest.h>

#include "model/layers.h"
#include "model/optimizers.h"

namespace crossbind::model {

// Of each number another type, with a description of its own.
template <int Number>
struct Sample {
  int64_t first = 0;
  int64_t second = 0;
  Pads pads;
};

template <>
struct Description<Sample<0>> {
  static constexpr std::tuple kFields = {FourPads{"pads", &Sample<0>::pads, ""},
                                         InferredSize{"first", &Sample<0>::first, ""},
                                         Constant{"form", "the only one", ""},
                                         Size{"second", &Sample<0>::second, ""}};
};

template <>
struct Description<Sample<1>> {
  static constexpr std::tuple kFields = {Size{"first", &Sample<1>::first, ""},
                                         FourPads{"pads", &Sample<1>::pads, ""}};
};

template <>
struct Description<Sample<2>> {
  static constexpr std::tuple kFields = {Size{"first", &Sample<2>::first, ""},
                                         Size{"second", &Sample<2>::first, ""},
                                         FourPads{"pads", &Sample<2>::pads, ""}};
};

namespace {

TEST(Members, AreCountedWhateverTheyAre) {
  EXPECT_EQ(member_count<GlobalAvgPool>(), 0);
  EXPECT_EQ(member_count<Dropout>(), 1);
  EXPECT_EQ(member_count<Pads>(), 4);
  EXPECT_EQ(member_count<Conv2d>(), 6);     // a pair and pads are one member each
  EXPECT_EQ(member_count<Embedding>(), 4);  // one may be absent
  EXPECT_EQ(member_count<Adam>(), 6);       // one is a struct
}

TEST(Members, AreAllDescribedInAnyOrder) {
  EXPECT_TRUE(describes_all_members<Sample<0>>());
}

TEST(Members, AreMissedWhereOneHasNoLine) {
  EXPECT_FALSE(describes_all_members<Sample<1>>());
}

TEST(Members, AreMissedWhereALineNamesAnothersMember) {
  EXPECT_FALSE(describes_all_members<Sample<2>>());
}

}  // namespace
}  // namespace crossbind::model
