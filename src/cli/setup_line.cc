#include "cli/setup_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "base/text.h"
#include "cli/terminal.h"

namespace crossbind::cli {
namespace {

constexpr std::string_view kSpinner = "|/-\\";

}  // namespace

SetupLine::SetupLine()
    : SetupLine(
          terminal_width(),
          [](const std::string& text) { std::fputs(text.c_str(), stderr); },
          [] { return std::chrono::steady_clock::now(); }) {}

SetupLine::SetupLine(size_t width, Output output, Clock clock)
    : width_(width),
      output_(std::move(output)),
      clock_(std::move(clock)) {}

void SetupLine::waits(const std::string& what) {
  output_(fmt::format("{}: waiting for another process that is setting it up\n", what));
}

void SetupLine::begins(const std::string& what, const std::filesystem::path& log) {
  what_ = what;
  began_ = clock_();
  output_(fmt::format("{}: setting up, log in {}\n", what, log.string()));
}

void SetupLine::goes_on(const std::string& last_line) {
  if (width_ == 0) {
    return;
  }
  turn_ = (turn_ + 1) % kSpinner.size();
  const std::string head = fmt::format("{} {}  {}  ", kSpinner[turn_], what_, elapsed());
  output_("\r" + fitting(head + last_line, width_) + "\x1b[K");
}

void SetupLine::ends() {
  output_(fmt::format("{}{}: {}\n", width_ == 0 ? "" : "\r\x1b[K", what_, elapsed()));
}

std::string SetupLine::elapsed() const {
  return human_duration(clock_() - began_);
}

}  // namespace crossbind::cli
