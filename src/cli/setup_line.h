// How a running setup looks: on a terminal one line with the time and the last line of its output,
// redrawn in place; elsewhere a plain line when it begins and one when it ends.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "workers/setup.h"

namespace crossbind::cli {

class SetupLine final : public workers::SetupWatch {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Output = std::function<void(const std::string&)>;

  SetupLine();  // stderr, its width, the real clock
  // width: of the terminal in columns; 0 where it is none.
  SetupLine(size_t width, Output output, Clock clock);

  void waits(const std::string& what) override;
  void begins(const std::string& what, const std::filesystem::path& log) override;
  void goes_on(const std::string& last_line) override;
  void ends() override;

 private:
  [[nodiscard]] std::string elapsed() const;

  size_t width_;
  Output output_;
  Clock clock_;
  std::string what_;
  std::chrono::steady_clock::time_point began_;
  size_t turn_ = 0;
};

}  // namespace crossbind::cli
