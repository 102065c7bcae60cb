#include "decide/github.h"

#include <fmt/format.h>

#include <array>

#include "base/named.h"

namespace crossbind::decide {
namespace {

constexpr std::array kSeverities = {Named<Severity>{"error", Severity::kError},
                                    Named<Severity>{"warning", Severity::kWarning},
                                    Named<Severity>{"notice", Severity::kNotice}};

// Properties end at a comma or a colon, so there these are escaped too.
std::string escaped(std::string_view text, std::string_view special) {
  std::string command;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) {
      command += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      command += c;
    }
  }
  return command;
}

}  // namespace

std::string annotation(Severity severity, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n",
                     name_in(kSeverities, severity),
                     escaped(title, "%\r\n:,"),
                     escaped(message, "%\r\n"));
}

}  // namespace crossbind::decide
