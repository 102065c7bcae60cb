#include "app/recommendation.h"

#include "report/made_up.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Not;

class RecommendationTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::string made_store() const {
    const std::string place = scratch("made.db").string();
    EXPECT_THAT(report::make_up(*store::open(place).value()), is_ok());
    return place;
  }
};

TEST_F(RecommendationTest, IsOfTheStoreAtAPlace) {
  const auto made = recommend_from(made_store(), {.model = "lenet5"});
  ASSERT_THAT(made, is_ok());
  EXPECT_THAT(made->rankings, Not(IsEmpty()));
  EXPECT_FALSE(made->is_about_nothing());
  EXPECT_THAT(recommend_from(scratch("none.db").string(), {}), fails_with(HasSubstr("none.db")));
}

TEST_F(RecommendationTest, HasWhatCouldHaveBeenAskedWhereNothingWasFound) {
  const auto made = recommend_from(made_store(), {.model = "vgg16"});
  ASSERT_THAT(made, is_ok());
  EXPECT_TRUE(made->is_about_nothing());
  EXPECT_THAT(made->cases, Not(IsEmpty()));
}

}  // namespace
}  // namespace crossbind::app
