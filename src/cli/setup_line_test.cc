#include "cli/setup_line.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

class SetupLineTest : public ::testing::Test {
 protected:
  SetupLine line(size_t width) {
    return {width,
            [this](const std::string& text) { shown_.push_back(text); },
            [this] { return now_; }};
  }

  std::vector<std::string> shown_;
  std::chrono::steady_clock::time_point now_;
};

TEST_F(SetupLineTest, WritesPlainLinesWhereThereIsNoTerminal) {
  SetupLine plain = line(0);
  plain.waits("toy/sh");
  plain.begins("toy/sh", "/cache/x.log");
  now_ += std::chrono::seconds(65);
  plain.goes_on("compiling");
  plain.ends();
  EXPECT_THAT(shown_,
              ::testing::ElementsAre("toy/sh: waiting for another process that is setting it up\n",
                                     "toy/sh: setting up, log in /cache/x.log\n",
                                     "toy/sh: 1 min 05 s\n"));
}

TEST_F(SetupLineTest, RedrawsOneLineThatFitsOnATerminal) {
  SetupLine drawn = line(30);
  drawn.begins("toy/sh", "/cache/x.log");
  now_ += std::chrono::seconds(65);
  drawn.goes_on("\x1b[32mcompiling something long\x1b[0m");
  EXPECT_EQ(shown_.back(), "\r/ toy/sh  1 min 05 s  ?[32mco\x1b[K");
  drawn.goes_on("next");
  EXPECT_EQ(shown_.back(), "\r- toy/sh  1 min 05 s  next\x1b[K");
  drawn.ends();
  EXPECT_EQ(shown_.back(), "\r\x1b[Ktoy/sh: 1 min 05 s\n");
}

}  // namespace
}  // namespace crossbind::cli
