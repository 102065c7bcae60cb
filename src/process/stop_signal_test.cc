#include "process/stop_signal.h"

#include <poll.h>

#include <cerrno>

#include "testing/testing.h"

namespace crossbind::process {
namespace {

bool is_over(const Interruption& interruption) {
  pollfd wait{interruption.descriptor(), POLLIN, 0};
  return ::poll(&wait, 1, 0) == 1;
}

TEST(StopSignal, IsRaisedInTwoDegrees) {
  StopSignal stop;
  EXPECT_FALSE(stop.is_raised());
  EXPECT_FALSE(is_over(stop.orderly()));
  stop.raise();
  EXPECT_TRUE(stop.is_raised());
  EXPECT_FALSE(stop.is_urgent());
  EXPECT_TRUE(is_over(stop.orderly()));
  EXPECT_FALSE(is_over(stop.urgent()));
  for (int i = 0; i < 3; ++i) {
    stop.raise();
    EXPECT_TRUE(stop.is_urgent());
    EXPECT_TRUE(is_over(stop.orderly()));
    EXPECT_TRUE(is_over(stop.urgent()));
  }
}

TEST(Interruption, MadeOfNothingNeverComes) {
  EXPECT_FALSE(is_over({}));
}

TEST(StopSignal, LeavesErrnoAlone) {
  StopSignal stop;
  errno = EDOM;
  stop.raise();
  EXPECT_EQ(errno, EDOM);
}

}  // namespace
}  // namespace crossbind::process
