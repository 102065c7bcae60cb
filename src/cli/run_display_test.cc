#include "cli/run_display.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using namespace std::chrono_literals;

class RunDisplayTest : public ::testing::Test {
 protected:
  RunDisplay display(size_t trials, size_t lanes, size_t width) {
    return {trials,
            lanes,
            width,
            [this](const std::string& text) { shown_ += text; },
            [this] { return now_; }};
  }

  // What was shown since the last time.
  std::string shown() { return std::exchange(shown_, {}); }

  static store::TrialSummary trial(const std::string& binding, uint32_t seed) {
    store::TrialSummary trial;
    trial.axes.binding = binding;
    trial.axes.model = "lenet1";
    trial.axes.task = "train";
    trial.axes.measure = "total";
    trial.axes.seed = seed;
    trial.axes.repeat = 1;
    return trial;
  }
  static store::TrialSummary failed(store::TrialSummary trial, const std::string& reason) {
    trial.outcome = store::Outcome::kFailed;
    trial.reason = reason;
    return trial;
  }

  std::string shown_;
  std::chrono::steady_clock::time_point now_;
};

TEST_F(RunDisplayTest, WritesALineForEachTrialThatEndsWhereThereIsNoTerminal) {
  RunDisplay plain = display(3, 1, 0);
  EXPECT_EQ(shown(), "Trials to run: 3, at most 1 at a time\n");
  auto first = trial("toy/cpp", 1);
  plain.begins(0, 1, first.axes);
  plain.goes_on(0, {1, 3, 5, 10});
  EXPECT_EQ(shown(), "");
  now_ += 1500ms;
  plain.ends(0, 1, first);
  EXPECT_EQ(shown(), "[1/3] toy/cpp lenet1 train seed 1: done (1.5 s)\n");
  first.axes.measure = "parts";
  first.axes.repeat = 2;
  plain.begins(0, 2, first.axes);
  now_ += 65s;
  plain.ends(0, 2, failed(first, "was killed by SIGSEGV"));
  EXPECT_EQ(shown(),
            "[2/3] toy/cpp lenet1 train seed 1 parts repeat 2: failed: was killed by SIGSEGV "
            "(1 min 05 s)\n");
  plain.begins(0, 3, first.axes);
  plain.is_interrupted(0);
  plain.close();
  EXPECT_EQ(shown(), "");
}

TEST_F(RunDisplayTest, RedrawsALineForEachLaneOnATerminal) {
  RunDisplay drawn = display(4, 2, 120);
  drawn.begins(0, 1, trial("toy/cpp", 1).axes);
  EXPECT_EQ(shown(), "[1/4] toy/cpp lenet1 train seed 1  0.0 ms\n0 of 4 trials, 0.0 ms\n");
  drawn.begins(1, 2, trial("toy/rust", 1).axes);
  EXPECT_EQ(shown(),
            "\x1b[2A\x1b[J[1/4] toy/cpp lenet1 train seed 1  0.0 ms\n"
            "[2/4] toy/rust lenet1 train seed 1  0.0 ms\n0 of 4 trials, 0.0 ms\n");
  now_ += 2s;
  drawn.goes_on(0, {1, 3, 0, 40});
  shown();
  now_ += 2s;
  drawn.goes_on(0, {1, 3, 21, 40});
  EXPECT_EQ(shown(),
            "\x1b[3A\x1b[J[1/4] toy/cpp lenet1 train seed 1  epoch 1 of 3, step 21 of 40, 10.5 "
            "steps/s  4.0 s\n[2/4] toy/rust lenet1 train seed 1  4.0 s\n0 of 4 trials, 4.0 s\n");
  now_ += 10ms;
  drawn.goes_on(0, {1, 3, 22, 40});
  EXPECT_EQ(shown(), "");  // not more often than can be read
  now_ += 990ms;
  drawn.ends(0, 1, trial("toy/cpp", 1));
  EXPECT_EQ(shown(),
            "\x1b[3A\x1b[J[2/4] toy/rust lenet1 train seed 1  5.0 s\n"
            "1 of 4 trials, 5.0 s, about 15.0 s left\n");
}

TEST_F(RunDisplayTest, WhatFailedStaysVisible) {
  RunDisplay drawn = display(2, 1, 120);
  drawn.begins(0, 1, trial("toy/cpp", 1).axes);
  shown();
  now_ += 3s;
  drawn.ends(0, 1, failed(trial("toy/cpp", 1), "ran longer than 3.0 s"));
  EXPECT_EQ(
      shown(),
      "\x1b[2A\x1b[J[1/2] toy/cpp lenet1 train seed 1: failed: ran longer than 3.0 s (3.0 s)\n"
      "1 of 2 trials, 1 failed, 3.0 s, about 3.0 s left\n");
  drawn.close();
  EXPECT_EQ(shown(), "\x1b[1A\x1b[J");
  drawn.close();
  EXPECT_EQ(shown(), "");
}

TEST_F(RunDisplayTest, LinesAreCutToTheWidthOfTheTerminal) {
  RunDisplay drawn = display(2, 1, 20);
  drawn.begins(0, 1, trial("toy/cpp", 1).axes);
  EXPECT_EQ(shown(), "[1/2] toy/cpp lenet\n0 of 2 trials, 0.0 \n");
  drawn.is_interrupted(0);
  EXPECT_EQ(shown(), "\x1b[2A\x1b[J0 of 2 trials, 0.0 \n");
}

}  // namespace
}  // namespace crossbind::cli
