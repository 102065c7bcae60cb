#include "cli/slowdown_option.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;

TEST(SlowdownOption, IsAShareOrAFactor) {
  EXPECT_DOUBLE_EQ(slowdown_from("5%").value(), 0.05);
  EXPECT_DOUBLE_EQ(slowdown_from("0%").value(), 0);
  EXPECT_DOUBLE_EQ(slowdown_from("1.5x").value(), 0.5);
  EXPECT_DOUBLE_EQ(slowdown_from("1x").value(), 0);
}

TEST(SlowdownOption, RefusesWhatCouldMeanEither) {
  for (const auto* text : {"", "%", "x", "1.05", "5 %", "0.5x", "-1%", "nan%", "infx", "5%%"}) {
    EXPECT_THAT(slowdown_from(text), fails_with(HasSubstr("is not a slowdown"))) << text;
  }
}

}  // namespace
}  // namespace crossbind::cli
