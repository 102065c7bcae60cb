#include "serve/target.h"

#include "testing/testing.h"

namespace crossbind::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;

TEST(Target, IsAPathAndParametersInTheirOrder) {
  const auto target = read_target("/trials?b=2&a=1");
  EXPECT_EQ(target.path, "/trials");
  EXPECT_THAT(target.query, ElementsAre(FieldsAre("b", "2"), FieldsAre("a", "1")));
  EXPECT_THAT(read_target("/trials").query, IsEmpty());
  EXPECT_THAT(read_target("/trials?").query, IsEmpty());
}

TEST(Target, DecodesEscapesOnce) {
  EXPECT_EQ(read_target("/a%20b%2Fc%252e").path, "/a b/c%2e");
  EXPECT_EQ(read_target("/%00").path, std::string("/\0", 2));
  EXPECT_THAT(read_target("/?x%3d=1%262&y=%C3%A4").query,
              ElementsAre(FieldsAre("x=", "1&2"), FieldsAre("y", "\u00E4")));
}

TEST(Target, LeavesWhatIsNoEscape) {
  for (const auto* text : {"/%", "/%4", "/%zz", "/%4g", "/%-1", "/%+1", "/%%41x"}) {
    const auto path = read_target(text).path;
    EXPECT_EQ(path, std::string_view(text) == "/%%41x" ? "/%Ax" : text);
  }
}

TEST(Target, TakesAPlusForASpaceInParametersAlone) {
  const auto target = read_target("/a+b?c+d=e+f%2B");
  EXPECT_EQ(target.path, "/a+b");
  EXPECT_THAT(target.query, ElementsAre(FieldsAre("c d", "e f+")));
}

TEST(Target, DropsParametersWithoutANameAndKeepsThoseWithoutAValue) {
  EXPECT_THAT(read_target("/?&&&=&=x").query, IsEmpty());
  EXPECT_THAT(read_target("/?a&b=&c=d=e").query,
              ElementsAre(FieldsAre("a", ""), FieldsAre("b", ""), FieldsAre("c", "d=e")));
  EXPECT_THAT(read_target("/?a&a").query, ElementsAre(FieldsAre("a", ""), FieldsAre("a", "")));
}

}  // namespace
}  // namespace crossbind::serve
