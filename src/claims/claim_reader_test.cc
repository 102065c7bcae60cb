// Claims files: what they come to, and every kind of wrong one with its line and key.
#include "claims/claim_reader.h"

#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

constexpr std::string_view kClaims = R"(title = "Mine"
[[claim]]
id = "M1"
text = "Rust is faster"
printed = "2"
[[claim.check]]
each = { quantity = "time", model = ["a", "b"], batch = 32 }
some = [{ "$other" = "x" }, { "$other" = ["y", "z"] }]
otherwise = { quantity = "total" }
ratio = [{ binding = "python" }, { binding = "$other" }]
above = 2
stat = "mean"
also = [{ differs = [{ binding = "python" }, { binding = "$other" }], effect = "large" }]
[[claim.check]]
lowest = { quantity = "time" }
among = { binding = ["p", "q"] }
is = "p"
)";

TEST(ClaimReader, ReadsClaims) {
  const auto list = read_claims(kClaims, "c.toml");
  ASSERT_THAT(list, is_ok());
  EXPECT_EQ(list->title, "Mine");
  ASSERT_THAT(list->claims, SizeIs(1));
  const Claim& claim = list->claims[0];
  EXPECT_EQ(claim.id, "M1");
  EXPECT_EQ(claim.printed, "2");
  ASSERT_THAT(claim.checks, SizeIs(2));
  const Check& check = claim.checks[0];
  EXPECT_THAT(check.each.points(), SizeIs(2));
  EXPECT_EQ(check.each.points()[1],
            (Labels{{"quantity", "time"}, {"model", "b"}, {"batch", "32"}}));
  EXPECT_THAT(check.some.points(), SizeIs(3));
  EXPECT_EQ(check.otherwise, (Labels{{"quantity", "total"}}));
  ASSERT_THAT(check.tests, SizeIs(2));
  EXPECT_EQ(check.tests[0].kind, TestKind::kRatio);
  EXPECT_EQ(check.tests[0].bounds.above, 2);
  EXPECT_EQ(check.tests[0].stat, Stat::kMean);
  EXPECT_EQ(check.tests[1].kind, TestKind::kDiffers);
  EXPECT_EQ(check.tests[1].effect, stats::Magnitude::kLarge);
  EXPECT_EQ(claim.checks[1].tests[0].kind, TestKind::kLowest);
  EXPECT_THAT(claim.checks[1].tests[0].is, ElementsAre("p"));
}

struct Wrong {
  std::string_view replaced;
  std::string_view by;
  int line;
  std::string_view message;
};

TEST(ClaimReader, ErrorsNameFileLineAndKey) {
  const std::vector<Wrong> wrongs = {
      {"title = \"Mine\"", "title = ", 1, "is not TOML"},
      {"title = \"Mine\"", "titel = \"Mine\"", 1, "Did you mean 'title'?"},
      {"id = \"M1\"", "id = \"M 1\"", 3, "'id' is \"M 1\""},
      {"printed = ", "figure = ", 5, "unknown key \"figure\""},
      {"above = 2", "abov = 2", 6, "the ratio needs above"},
      {"stat = \"mean\"", "stats = \"mean\"", 12, "Did you mean 'stat'?"},
      {"stat = \"mean\"", "stat = \"mode\"", 12, "'stat' is \"mode\", expected one of \"median\""},
      {"ratio = ", "ration = ", 10, "Did you mean 'ratio'?"},
      {"above = 2", "is = \"x\"", 6, "the ratio needs above"},
      {"above = 2", "above = \"2\"", 11, "'above' is \"2\", expected a finite number"},
      {"model = [\"a\", \"b\"]", "model = []", 7, "claim M1: 'model' is empty"},
      {"model = [\"a\", \"b\"]", "model = [\"a\", \"a\"]", 7, "'model' has \"a\" twice"},
      {"batch = 32", "batch = 3.2", 7, "'batch' is neither a word nor an integer"},
      {"batch = 32", "\"a b\" = 32", 7, "'a b' is no name of a label"},
      {"[{ \"$other\" = \"x\" }, ", "[7, ", 8, "'some' needs a table of labels"},
      {"{ quantity = \"total\" }", "\"total\"", 9, "'otherwise' needs a table of labels"},
      {"{ quantity = \"total\" }", "{ quantity = [\"a\", \"b\"] }", 9, "put them into 'each'"},
      {"[{ binding = \"python\" }, { binding = \"$other\" }]\nabove",
       "[{}]\nabove",
       10,
       "'ratio' needs an array of two cells"},
      {"{ binding = \"python\" }, { binding = \"$other\" }]\nabove",
       "\"python\", {}]\nabove",
       10,
       "a cell is a table of labels"},
      {"{ binding = \"$other\" }]\nabove",
       "{ binding = \"$another\" }]\nabove",
       6,
       "\"$another\" names $another"},
      {"effect = \"large\"", "efect = \"large\"", 13, "claim M1, also: unknown key \"efect\""},
      {"effect = \"large\"", "above = 1", 13, "unknown key \"above\""},
      {"also = [{ differs",
       "also = [{ value = {}, above = 1, differs",
       13,
       "value and differs are 2 tests"},
      {"{ binding = \"python\" }, { binding = \"$other\" }], effect",
       "{ ratio = [{}, {}] }, {}], effect",
       13,
       "'differs' is asked of cells"},
      {"among = { binding = [\"p\", \"q\"] }\n", "", 15, "'lowest' needs 'among'"},
      {"is = \"p\"\n", "", 14, "the lowest needs is or is_not"},
      {"lowest = { quantity = \"time\" }\namong = { binding = [\"p\", \"q\"] }\nis = \"p\"\n",
       "",
       14,
       "there is no test"},
  };
  for (const auto& wrong : wrongs) {
    std::string text(kClaims);
    const size_t place = text.find(wrong.replaced);
    ASSERT_NE(place, std::string::npos) << wrong.replaced;
    text.replace(place, wrong.replaced.size(), wrong.by);
    EXPECT_THAT(read_claims(text, "c.toml"),
                fails_with(AllOf(HasSubstr(fmt::format("c.toml:{}", wrong.line)),
                                 HasSubstr(wrong.message))))
        << wrong.by;
  }
}

TEST(ClaimReader, RefusesTwoClaimsWithOneId) {
  const std::string text(kClaims);
  EXPECT_THAT(read_claims(text + text.substr(text.find("[[claim]]")), "c.toml"),
              fails_with(HasSubstr("c.toml:18: there are two claims M1")));
}

}  // namespace
}  // namespace crossbind::claims
