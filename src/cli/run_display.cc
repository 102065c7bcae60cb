#include "cli/run_display.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "cli/terminal.h"

namespace crossbind::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRedraw{100};

using Seconds = std::chrono::duration<double>;

std::string name_of(const store::Axes& axes) {
  std::string name =
      fmt::format("{} {} {} seed {}", axes.binding, axes.model, axes.task, axes.seed);
  if (axes.measure != "total") {
    name += " " + axes.measure;
  }
  if (!axes.weights.empty() && axes.weights != "initial") {
    name += " from " + axes.weights;
  }
  if (axes.repeat > 1) {
    name += fmt::format(" repeat {}", axes.repeat);
  }
  return name;
}

}  // namespace

RunDisplay::RunDisplay(size_t trials, size_t lanes)
    : RunDisplay(
          trials,
          lanes,
          terminal_width(),
          [](const std::string& text) {
            std::fputs(text.c_str(), stderr);
            std::fflush(stderr);
          },
          steady_clock::now) {}

RunDisplay::RunDisplay(size_t trials, size_t lanes, size_t width, Output output, Clock clock)
    : trials_(trials),
      lanes_(lanes),
      width_(width),
      output_(std::move(output)),
      clock_(std::move(clock)),
      started_(clock_()),
      drawn_(started_ - kRedraw) {
  if (width_ == 0 && trials > 0) {
    output_(fmt::format("Trials to run: {}, at most {} at a time\n", trials, lanes));
  }
}

void RunDisplay::begins(size_t lane, size_t number, const store::Axes& axes) {
  lanes_[lane] = Lane{.is_busy = true,
                      .number = number,
                      .name = name_of(axes),
                      .started = clock_(),
                      .last_time = clock_()};
  draw(true);
}

void RunDisplay::goes_on(size_t lane, const tasks::Progress& progress) {
  Lane& shown = lanes_[lane];
  const auto now = clock_();
  const Seconds passed = now - shown.last_time;
  if (progress.epoch == shown.progress.epoch && progress.step > shown.last_step &&
      passed.count() > 0) {
    shown.steps_per_second = static_cast<double>(progress.step - shown.last_step) / passed.count();
  }
  shown.progress = progress;
  shown.last_step = progress.step;
  shown.last_time = now;
  draw(false);
}

void RunDisplay::ends(size_t lane, size_t number, const store::TrialSummary& trial) {
  Lane& shown = lanes_[lane];
  shown.is_busy = false;
  ++ended_;
  const bool is_done = trial.outcome == store::Outcome::kDone;
  failed_ += trial.outcome == store::Outcome::kFailed ? 1 : 0;
  if (width_ == 0 || !is_done) {
    erase();
    output_(fmt::format("[{}/{}] {}: {}{} ({})\n",
                        number,
                        trials_,
                        shown.name,
                        store::name_of(trial.outcome),
                        is_done ? "" : ": " + trial.reason,
                        human_duration(clock_() - shown.started)));
  }
  draw(true);
}

void RunDisplay::is_interrupted(size_t lane) {
  lanes_[lane].is_busy = false;
  draw(true);
}

void RunDisplay::close() {
  erase();
}

std::string RunDisplay::line_of(const Lane& lane) const {
  std::string line = fmt::format("[{}/{}] {}", lane.number, trials_, lane.name);
  const auto& progress = lane.progress;
  if (progress.epochs > 0) {
    line += fmt::format("  epoch {} of {}", progress.epoch, progress.epochs);
  }
  if (progress.steps > 0) {
    line += fmt::format(", step {} of {}", progress.step, progress.steps);
  }
  if (lane.steps_per_second > 0) {
    line += fmt::format(", {:.1f} steps/s", lane.steps_per_second);
  }
  return line + "  " + human_duration(clock_() - lane.started);
}

std::string RunDisplay::footer() const {
  const Seconds passed = clock_() - started_;
  std::string line =
      fmt::format("{} of {} {}", ended_, trials_, plural(trials_, "trial", "trials"));
  if (failed_ > 0) {
    line += fmt::format(", {} failed", failed_);
  }
  line += ", " + human_duration(passed);
  if (ended_ > 0 && ended_ < trials_) {
    const Seconds left =
        passed / static_cast<double>(ended_) * static_cast<double>(trials_ - ended_);
    line += fmt::format(", about {} left", human_duration(left));
  }
  return line;
}

void RunDisplay::erase() {
  if (drawn_lines_ > 0) {
    output_(fmt::format("\x1b[{}A\x1b[J", drawn_lines_));
    drawn_lines_ = 0;
  }
}

void RunDisplay::draw(bool now) {
  if (width_ == 0 || (!now && clock_() - drawn_ < kRedraw)) {
    return;
  }
  drawn_ = clock_();
  std::string text;
  size_t lines = 0;
  for (const Lane& lane : lanes_) {
    if (lane.is_busy) {
      text += fitting(line_of(lane), width_) + "\n";
      ++lines;
    }
  }
  text += fitting(footer(), width_) + "\n";
  erase();
  output_(text);
  drawn_lines_ = lines + 1;
}

}  // namespace crossbind::cli
