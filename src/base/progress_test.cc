#include "base/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ProgressTest : public ::testing::Test {
 protected:
  TerminalProgress make(bool interactive) {
    return TerminalProgress(
        interactive,
        [this](const std::string& text) {
          shown_ = text;
          ++writes_;
        },
        [this] { return now_; });
  }

  std::chrono::steady_clock::time_point now_;
  std::string shown_;
  int writes_ = 0;
};

TEST_F(ProgressTest, ShowsShareRateAndTimeLeftOnATerminal) {
  auto progress = make(true);
  progress.begin("mnist", 1000, "images");
  now_ += std::chrono::seconds(2);
  progress.advance(250);
  EXPECT_THAT(shown_,
              AllOf(HasSubstr("mnist"),
                    HasSubstr(" 25 %"),
                    HasSubstr("250 images"),
                    HasSubstr("125 images/s"),
                    HasSubstr("6.0 s left")));
}

TEST_F(ProgressTest, RedrawsAtMostTenTimesASecond) {
  auto progress = make(true);
  progress.begin("mnist", 1000, "images");
  for (uint64_t i = 0; i < 1000; ++i) {
    now_ += std::chrono::milliseconds(1);
    progress.advance(i);
  }
  EXPECT_LE(writes_, 11);
}

TEST_F(ProgressTest, WritesPlainLinesElsewhere) {
  auto progress = make(false);
  progress.begin("imdb", 0, "B");
  EXPECT_EQ(shown_, "imdb\n");
  now_ += std::chrono::seconds(1);
  progress.advance(2048);
  EXPECT_EQ(shown_, "imdb\n");
  progress.end();
  EXPECT_THAT(shown_,
              AllOf(HasSubstr("imdb  2.0 KiB"), HasSubstr("in 1.0 s\n"), Not(HasSubstr("\r"))));
}

}  // namespace
}  // namespace crossbind
