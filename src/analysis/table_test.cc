#include "analysis/table.h"

#include "testing/testing.h"

namespace crossbind::analysis {
namespace {

using ::testing::HasSubstr;

const Table kTable{"t",
                   "Title_1",
                   {"name", "n", "x"},
                   {{std::string("a,\"b\"|_"), int64_t{3}, 1.0 / 3}, {false, Value(), 0.5}}};

TEST(Table, IsJsonWithAllDigits) {
  const std::string json = to_json({kTable});
  EXPECT_THAT(json, HasSubstr("\"x\": 0.3333333333333333"));
  EXPECT_THAT(json, HasSubstr("\"n\": null"));
  EXPECT_EQ(to_json({{"empty", "", {"a"}, {}}}), "{\n  \"empty\": []\n}\n");
}

TEST(Table, IsCsvWithQuotesWhereTheyAreNeeded) {
  EXPECT_EQ(to_csv(kTable), "name,n,x\n\"a,\"\"b\"\"|_\",3,0.3333333333333333\nfalse,,0.5\n");
}

TEST(Table, IsMarkdownWithRoundedNumbers) {
  EXPECT_EQ(to_markdown(kTable),
            "## Title_1\n\n| name | n | x |\n|---|---:|---:|\n| a,\"b\"\\|\\_ | 3 | 0.3333 |\n"
            "| false |  | 0.5 |\n");
  EXPECT_THAT(to_markdown({"t", "Title", {"a"}, {}}), HasSubstr("Not measured."));
}

TEST(Table, IsLatexWithItsSignsEscaped) {
  const std::string latex = to_latex(kTable);
  EXPECT_THAT(latex, HasSubstr("\\caption{Title\\_1}"));
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrr}"));
  EXPECT_THAT(latex, HasSubstr("a,\"b\"\\textbar{}\\_ & 3 & 0.3333 \\\\\n"));
  EXPECT_THAT(to_latex({"t", "T", {"a"}, {{std::string("\\^&")}}}),
              HasSubstr("\\textbackslash{}\\^{}\\&"));
}

TEST(Table, PutsNumbersToTheRightWhateverComesFirst) {
  EXPECT_THAT(to_markdown({"t", "T", {"a"}, {{Value()}, {2.0}}}), HasSubstr("|---:|"));
}

TEST(Table, LeavesNoFormulaForASpreadsheet) {
  const Table table{
      "t", "", {"=a"}, {{std::string("=HYPERLINK(\"x\")")}, {std::string("+1")}, {-1.5}}};
  EXPECT_EQ(to_csv(table), "'=a\n\"'=HYPERLINK(\"\"x\"\")\"\n'+1\n-1.5\n");
}

TEST(Table, BreaksLongColumnsOfWhatIsWiderThanAPageOfLatex) {
  const std::string text(90, 'x');
  EXPECT_THAT(to_latex({"t", "T", {"a", "b"}, {{text, int64_t{1}}}}),
              HasSubstr("\\begin{tabular}{lr}"));
  const Table wide{"t", "T", {"a", "b", "c"}, {{text, int64_t{1}, text}}};
  EXPECT_THAT(to_latex(wide), HasSubstr("{p{0.447\\linewidth}rp{0.447\\linewidth}}"));
  EXPECT_THAT(to_long_latex(wide),
              HasSubstr("\\begin{longtable}{p{0.447\\linewidth}rp{0.447\\linewidth}}"));
}

TEST(Table, LeavesNoMarkupInMarkdownAndLatex) {
  EXPECT_EQ(markdown_text("<b>&`x`\n_i_ a_b *c* [d](e)"),
            "&lt;b&gt;&amp;\\`x\\` \\_i\\_ a_b \\*c\\* \\[d\\](e)");
  EXPECT_EQ(latex_text("a\xEF\xBF\xBDz"), "a?z");
  EXPECT_EQ(latex_text("\\input{x}\n50% <a> #1"),
            "\\textbackslash{}input\\{x\\} 50\\% \\textless{}a\\textgreater{} \\#1");
}

}  // namespace
}  // namespace crossbind::analysis
