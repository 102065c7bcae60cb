#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace crossbind::cli {

size_t terminal_width() {
  constexpr size_t kUsualWidth = 80;
  if (::isatty(STDERR_FILENO) != 1) {
    return 0;
  }
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualWidth;
}

std::string fitting(const std::string& text, size_t width) {
  // One column stays free: a full line would wrap on some terminals.
  std::string result = text.substr(0, width - 1);
  std::ranges::replace_if(
      result, [](char c) { return c < 0x20 || c >= 0x7F; }, '?');
  return result;
}

}  // namespace crossbind::cli
