#include "base/glob.h"

#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "testing/testing.h"

namespace crossbind {
namespace {

TEST(Glob, StarsAndQuestionMarksStandForCharacters) {
  EXPECT_TRUE(matches("pytorch/*", "pytorch/rust"));
  EXPECT_TRUE(matches("*/python", "reference/python"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("vgg??", "vgg16"));
  EXPECT_TRUE(matches("*a*ab", "aaab"));
  EXPECT_TRUE(matches("seed", "seed"));
  EXPECT_FALSE(matches("pytorch/*", "tensorflow/python"));
  EXPECT_FALSE(matches("vgg?", "vgg16"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("a", ""));
  EXPECT_FALSE(matches("lenet", "lenet5"));
}

TEST(Glob, NothingElseHasAMeaning) {
  EXPECT_FALSE(matches("vgg[16]*", "vgg16"));
  EXPECT_TRUE(matches("[a-z]", "[a-z]"));
  EXPECT_FALSE(matches("\\*", "*"));
  EXPECT_TRUE(matches("\\*", "\\any/thing"));
  EXPECT_TRUE(matches("*", ".hidden/file"));
}

// The definition, in exponential time.
bool slowly_matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) {
    return name.empty();
  }
  if (pattern[0] == '*') {
    return slowly_matches(pattern.substr(1), name) ||
           (!name.empty() && slowly_matches(pattern, name.substr(1)));
  }
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         slowly_matches(pattern.substr(1), name.substr(1));
}

RC_GTEST_PROP(Glob, AgreesWithItsDefinition, ()) {
  const auto text = [](std::initializer_list<char> letters) {
    return *rc::gen::resize(
        10, rc::gen::container<std::string>(rc::gen::elementOf(std::vector<char>(letters))));
  };
  const std::string pattern = text({'a', '/', '*', '?', '[', '!', ']', '\\', '.'});
  const std::string name = text({'a', '/', '[', '!', ']', '\\', '.'});
  RC_ASSERT(matches(pattern, name) == slowly_matches(pattern, name));
}

}  // namespace
}  // namespace crossbind
