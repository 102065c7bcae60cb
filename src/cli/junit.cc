#include "cli/junit.h"

#include <fmt/format.h>

#include <algorithm>

namespace crossbind::cli {
namespace {

using Result = TestCase::Result;

// How many bytes the UTF-8 character at `i` has; 0 where there is none.
size_t character_length(std::string_view text, size_t i) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const size_t length = byte(i) < 0x80                      ? 1
                        : byte(i) >= 0xC2 && byte(i) < 0xE0 ? 2
                        : byte(i) >= 0xE0 && byte(i) < 0xF0 ? 3
                        : byte(i) >= 0xF0 && byte(i) < 0xF5 ? 4
                                                            : 0;
  for (size_t k = 1; k < length; ++k) {
    if (i + k >= text.size() || (byte(i + k) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  return length;
}

// For an attribute in double quotes.
std::string escaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t length = character_length(text, i);
    const char c = text[i];
    if (length > 1) {
      result += text.substr(i, length);
    } else if (length == 0 || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += c == '\n' || c == '\t' ? ' ' : '?';
    } else if (c == '&' || c == '<' || c == '>' || c == '"') {
      result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;";
    } else {
      result += c;
    }
    i += std::max<size_t>(length, 1);
  }
  return result;
}

size_t count(const std::vector<TestCase>& cases, Result result) {
  return static_cast<size_t>(std::ranges::count(cases, result, &TestCase::result));
}

std::string outcome(const TestCase& test) {
  const char* element = test.result == Result::kFailed  ? "failure"
                        : test.result == Result::kError ? "error"
                                                        : "skipped";
  return fmt::format("<{} message=\"{}\"/>", element, escaped(test.message));
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<TestCase>& cases) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += fmt::format(
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      escaped(suite),
      cases.size(),
      count(cases, Result::kFailed),
      count(cases, Result::kError),
      count(cases, Result::kSkipped));
  for (const auto& test : cases) {
    xml += fmt::format(
        "  <testcase classname=\"{}\" name=\"{}\"", escaped(test.group), escaped(test.name));
    xml += test.result == Result::kPassed ? "/>\n" : ">" + outcome(test) + "</testcase>\n";
  }
  return xml + "</testsuite>\n";
}

}  // namespace crossbind::cli
