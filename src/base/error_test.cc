#include "base/error.h"

#include <cerrno>

#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;

Result<int> half(int value) {
  if (value % 2 != 0) {
    return fail(ErrorKind::kInvalid, "{} is odd", value);
  }
  return value / 2;
}

Result<int> quarter(int value) {
  CB_ASSIGN(const int once, half(value));
  CB_TRY(half(once));
  return half(once);
}

TEST(Error, SaysWhatWhereAndWhatToDo) {
  const Error error{
      ErrorKind::kInvalid, "unknown key 'kernal'", "lenet.toml:7", "Did you mean 'kernel'?"};
  EXPECT_EQ(error.to_string(), "lenet.toml:7: unknown key 'kernal'\n  Did you mean 'kernel'?");
}

TEST(Error, KeepsTheMorePrecisePlaceAndHint) {
  auto error = Error{ErrorKind::kInvalid, "bad", "inner", "first"}.at("outer").with_hint("second");
  EXPECT_EQ(error.where, "inner");
  EXPECT_EQ(error.hint, "first");
}

TEST(Error, PropagatesThroughTheMacros) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_THAT(quarter(3), fails_with(HasSubstr("3 is odd")));
  EXPECT_THAT(quarter(6), fails_with(HasSubstr("3 is odd")));
}

TEST(Error, NamesTheSystemErrorAndAdvisesOnAFullDisk) {
  errno = ENOSPC;
  const Result<int> full = fail_errno("cannot write", "/data/x");
  EXPECT_THAT(full,
              fails_with(AllOf(HasSubstr("/data/x: cannot write: No space"),
                               HasSubstr("CROSSBIND_CACHE"))));
  errno = ENOENT;
  const Result<int> absent = fail_errno("cannot open", "/data/x");
  EXPECT_EQ(absent.error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace crossbind
