#include "cli/setup_line.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/text.h"

namespace crossbind::cli {
namespace {

constexpr std::string_view kSpinner = "|/-\\";
constexpr size_t kUsualWidth = 80;

size_t terminal_width() {
  if (::isatty(STDERR_FILENO) != 1) {
    return 0;
  }
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualWidth;
}

// Colours, tabs and the like would move the cursor; a line cut inside a character would show
// rubbish.
std::string plain(const std::string& text, size_t width) {
  std::string result;
  for (const char c : text) {
    if (result.size() == width) {
      break;
    }
    result += c >= 0x20 && c < 0x7F ? c : '?';
  }
  return result;
}

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
  // One column stays free: a full line would wrap on some terminals.
  output_("\r" + plain(head + last_line, width_ - 1) + "\x1b[K");
}

void SetupLine::ends() {
  output_(fmt::format("{}{}: {}\n", width_ == 0 ? "" : "\r\x1b[K", what_, elapsed()));
}

std::string SetupLine::elapsed() const {
  return human_duration(clock_() - began_);
}

}  // namespace crossbind::cli
