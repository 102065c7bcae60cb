// JUnit's XML, as far as continuous-integration servers agree on it: one suite of test cases.
#pragma once

#include <string>
#include <vector>

namespace crossbind::cli {

struct TestCase {
  enum class Result { kPassed, kFailed, kError, kSkipped };

  std::string group;
  std::string name;
  Result result = Result::kPassed;
  std::string message;
};

// What XML cannot hold (control characters, bytes that are no UTF-8) becomes '?'.
[[nodiscard]] std::string junit_xml(const std::string& suite, const std::vector<TestCase>& cases);

}  // namespace crossbind::cli
