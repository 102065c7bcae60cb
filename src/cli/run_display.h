// How a run looks: on a terminal a line for each trial that runs, redrawn, and below it how far the
// study is; elsewhere a plain line that says how many there are, and one when a trial ends. Trials
// that fail stay visible.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "run/study_runner.h"

namespace crossbind::cli {

class RunDisplay final : public run::RunWatch {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Output = std::function<void(const std::string&)>;

  RunDisplay(size_t trials, size_t lanes);  // stderr, its width, the real clock
  // width: of the terminal in columns; 0 where it is none.
  RunDisplay(size_t trials, size_t lanes, size_t width, Output output, Clock clock);

  void begins(size_t lane, size_t number, const store::Axes& axes) override;
  void goes_on(size_t lane, const tasks::Progress& progress) override;
  void ends(size_t lane, size_t number, const store::TrialSummary& trial) override;
  void is_interrupted(size_t lane) override;

  // Removes the live part.
  void close();

 private:
  struct Lane {
    bool is_busy = false;
    size_t number = 0;
    std::string name;
    tasks::Progress progress;
    std::chrono::steady_clock::time_point started;
    double steps_per_second = 0;
    int64_t last_step = 0;
    std::chrono::steady_clock::time_point last_time;
  };

  void draw(bool now);
  void erase();
  [[nodiscard]] std::string line_of(const Lane& lane) const;
  [[nodiscard]] std::string footer() const;

  size_t trials_;
  std::vector<Lane> lanes_;
  size_t width_;
  Output output_;
  Clock clock_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point drawn_;
  size_t ended_ = 0;
  size_t failed_ = 0;
  size_t drawn_lines_ = 0;
};

}  // namespace crossbind::cli
