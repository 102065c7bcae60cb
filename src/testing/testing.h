// What tests share: a scratch directory, and matchers for Result.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/file.h"

namespace crossbind::testing {

// A fixture with an empty directory of its own.
class ScratchTest : public ::testing::Test {
 protected:
  ScratchTest();

  [[nodiscard]] std::filesystem::path scratch(const std::string& name) const {
    return directory_.path() / name;
  }

 private:
  TemporaryDirectory directory_;
};

// EXPECT_THAT(result, is_ok()); EXPECT_THAT(result, fails_with(HasSubstr("line 3")));
MATCHER(is_ok, "is a value") {
  if (!arg) {
    *result_listener << "failed: " << arg.error().to_string();
  }
  return static_cast<bool>(arg);
}

MATCHER_P(fails_with, text_matcher, "is an error whose text matches") {
  if (arg) {
    *result_listener << "is a value";
    return false;
  }
  return ::testing::ExplainMatchResult(::testing::SafeMatcherCast<std::string>(text_matcher),
                                       arg.error().to_string(),
                                       result_listener);
}

// A file of the source tree, by its path in there, and one that was built. Functions, not macros:
// where the tree lies is then known to one object file, and the compiler's cache serves every
// clone.
[[nodiscard]] std::filesystem::path source_path(const std::filesystem::path& path = {});
[[nodiscard]] std::filesystem::path build_path(const std::filesystem::path& path);

// Whether $CROSSBIND_MUST_RUN, a list of words, names this: then it must not be skipped.
[[nodiscard]] bool must_run(const std::string& name);

}  // namespace crossbind::testing

// Skips the test, by name and with the reason, or fails it where it must run (CI says which).
#define CROSSBIND_SKIP(name, reason)                                           \
  do {                                                                         \
    if (crossbind::testing::must_run(name)) {                                  \
      FAIL() << (name) << " must run here (CROSSBIND_MUST_RUN): " << (reason); \
    }                                                                          \
    GTEST_SKIP() << (name) << ": " << (reason);                                \
  } while (false)
