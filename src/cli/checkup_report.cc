#include "cli/checkup_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/named.h"
#include "cli/json_text.h"

namespace crossbind::cli {
namespace {

using checkup::Finding;
using checkup::Mark;

constexpr std::array kMarks = {
    Named<Mark>{"ok", Mark::kOk},
    Named<Mark>{"wrong", Mark::kWrong},
    Named<Mark>{"skipped", Mark::kSkipped},
};

size_t count(const std::vector<Finding>& findings, Mark mark) {
  return static_cast<size_t>(std::ranges::count(findings, mark, &Finding::mark));
}

// Every line of it to the right; what a worker printed must not command a terminal.
std::string indented(const std::string& text) {
  std::string result = "    ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte >= 0x20 && byte != 0x7F ? std::string(1, c) : c == '\n' ? "\n    " : "?";
  }
  return result;
}

}  // namespace

std::string finding_text(const Finding& finding) {
  if (finding.waits) {
    return {};  // what is wrong must not be lost among dozens of these
  }
  std::string text = fmt::format(
      "{:<7}  {:<8}  {}", name_in(kMarks, finding.mark), finding.check.group, finding.check.name);
  if (finding.mark == Mark::kSkipped) {
    return text + fmt::format(": {}\n", finding.detail);
  }
  if (finding.mark == Mark::kWrong) {
    return text + fmt::format("\n{}\n    See '{}' in protocol/PROTOCOL.md.\n",
                              indented(finding.detail),
                              finding.check.paragraph);
  }
  return text + "\n";
}

std::string findings_summary(const std::vector<Finding>& findings) {
  const auto waiting = std::ranges::count(findings, true, &Finding::waits);
  return fmt::format(
      "{} ok, {} wrong, {} skipped{}\n",
      count(findings, Mark::kOk),
      count(findings, Mark::kWrong),
      count(findings, Mark::kSkipped),
      waiting == 0 ? "" : fmt::format(", {} of them until what is wrong is mended", waiting));
}

std::string findings_json(const std::vector<Finding>& findings) {
  auto checks = nlohmann::ordered_json::array();
  for (const auto& finding : findings) {
    checks.push_back({{"group", finding.check.group},
                      {"check", finding.check.name},
                      {"verdict", name_in(kMarks, finding.mark)},
                      {"detail", finding.detail},
                      {"paragraph", finding.check.paragraph}});
  }
  return json_text(nlohmann::ordered_json{{"ok", count(findings, Mark::kOk)},
                                          {"wrong", count(findings, Mark::kWrong)},
                                          {"skipped", count(findings, Mark::kSkipped)},
                                          {"checks", std::move(checks)}});
}

}  // namespace crossbind::cli
