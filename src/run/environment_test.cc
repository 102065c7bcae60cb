#include "run/environment.h"

#include "converse/fakes.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(Environment, IsThePlacesHostAndWhichCrossbindRan) {
  const converse::FakeLauncher place;
  EXPECT_THAT(environment_of(place, "1.2.3"),
              ElementsAre(Pair("cpu", "a slow one"),
                          Pair("crossbind", "1.2.3"),
                          Pair("crossbind_revision", Not(IsEmpty()))));
}

}  // namespace
}  // namespace crossbind::run
