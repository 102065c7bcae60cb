#include "base/progress.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"

namespace crossbind {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr size_t kBarWidth = 24;

}  // namespace

TerminalProgress::TerminalProgress()
    : TerminalProgress(
          ::isatty(STDERR_FILENO) == 1,
          [](const std::string& text) { std::fputs(text.c_str(), stderr); },
          [] { return std::chrono::steady_clock::now(); }) {}

TerminalProgress::TerminalProgress(bool interactive, Output output, Clock clock)
    : interactive_(interactive),
      output_(std::move(output)),
      clock_(std::move(clock)) {}

void TerminalProgress::begin(const std::string& label, uint64_t total, const std::string& unit) {
  label_ = label;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  started_ = clock_();
  drawn_ = started_;
  output_(interactive_ ? line(false) : label_ + "\n");
}

void TerminalProgress::advance(uint64_t done) {
  done_ = done;
  const auto now = clock_();
  if (interactive_ && now - drawn_ >= kRedraw) {
    drawn_ = now;
    output_(line(false));
  }
}

void TerminalProgress::end() {
  output_(interactive_ ? line(true) + "\n" : line(true).substr(1) + "\n");
}

void TerminalProgress::clear() {
  if (interactive_) {
    output_("\r\x1b[K");
  }
}

std::string TerminalProgress::amount(uint64_t value) const {
  return unit_ == "B" ? human_bytes(value)
                      : with_thousands(static_cast<int64_t>(value)) + " " + unit_;
}

std::string TerminalProgress::line(bool finished) const {
  const std::chrono::duration<double> elapsed = clock_() - started_;
  std::string text = "\r" + label_;
  if (total_ > 0 && interactive_) {
    const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    const auto filled = static_cast<size_t>(share * kBarWidth);
    text += fmt::format("  [{}{}] {:3.0f} %",
                        std::string(filled, '#'),
                        std::string(kBarWidth - filled, '.'),
                        share * 100);
  }
  text += "  " + amount(done_);
  if (elapsed.count() > 0 && done_ > 0) {
    const double rate = static_cast<double>(done_) / elapsed.count();
    text += fmt::format("  {}/s", amount(static_cast<uint64_t>(rate)));
    if (finished) {
      text += "  in " + human_duration(elapsed);
    } else if (total_ > done_) {
      text += fmt::format("  {} left",
                          human_duration(std::chrono::duration<double>(
                              static_cast<double>(total_ - done_) / rate)));
    }
  }
  // Clears what a longer, earlier line left on the terminal.
  return interactive_ ? text + "\x1b[K" : text;
}

}  // namespace crossbind
