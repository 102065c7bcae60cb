// Golden files: CROSSBIND_WRITE_GOLDEN=1 writes them anew.
#include "report/render.h"

#include <cstdlib>

#include "report/made_up.h"
#include "report/plain_text.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::Not;

constexpr Assets kNoAssets = {
    "vega", "vega-lite", "vega-embed", "licences", "plots", "page", "report", "style"};

Document made_up_document() {
  store::MemoryStore store;
  EXPECT_THAT(make_up(store), is_ok());
  return document_of(gather(store, std::nullopt, {}).value());
}

void expect_golden(const std::string& name, const std::string& text) {
  const auto path = testing::source_path("src/report/testdata") / name;
  if (std::getenv("CROSSBIND_WRITE_GOLDEN") != nullptr) {
    ASSERT_THAT(write_file(path, text), is_ok());
  }
  const auto golden = read_file(path);
  ASSERT_THAT(golden, is_ok());
  EXPECT_EQ(text, *golden);
}

TEST(Render, IsTheGoldenPage) {
  expect_golden("index.html", to_html(made_up_document(), kNoAssets));
}

TEST(Render, IsTheGoldenMarkdown) {
  expect_golden("report.md", to_markdown(made_up_document(), "svg"));
}

TEST(Render, IsTheGoldenLatex) {
  expect_golden("report.tex", to_latex(made_up_document(), "png"));
}

TEST(Render, IsGoldenCsv) {
  std::string all;
  for (const auto& file : to_csv(made_up_document())) {
    all += fmt::format("# {}\n{}", file.name, file.text);
  }
  expect_golden("tables.csv", all);
}

TEST(Render, LeavesNoMarkupOfOthersInThePage) {
  const std::string html = to_html(made_up_document(), kNoAssets);
  EXPECT_THAT(html,
              AllOf(Not(HasSubstr("<script>alert")),
                    Not(HasSubstr("<b>x</b>")),
                    Not(HasSubstr("\x1b")),
                    HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;")));
}

TEST(Render, LeavesNoCommandOfOthersInLatex) {
  const std::string latex = to_latex(made_up_document(), "");
  EXPECT_EQ(latex.find("\\end{document}"), latex.rfind("\\end{document}"));
}

TEST(Render, SaysOfAnEmptyStoreWhatIsNotMeasured) {
  const store::MemoryStore store;
  const auto document = document_of(gather(store, std::nullopt, {}).value());
  const std::string html = to_html(document, kNoAssets);
  EXPECT_THAT(html,
              AllOf(HasSubstr("No training was timed."),
                    HasSubstr("No trained model was given to another binding."),
                    Not(HasSubstr("<figure"))));
  EXPECT_THAT(to_markdown(document, ""), HasSubstr("crossbind run STUDY.toml"));
}

TEST(PlainText, IsUtf8WithoutControlCharacters) {
  EXPECT_EQ(plain_text("a\x1b[31mb\x1b[0m\tc\nd\x07\r"), "ab\tc\nd");
  EXPECT_EQ(plain_text("\xc3\xa9 \xe2\x89\x88 \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe2\x89\x88 \xf0\x9f\x98\x80");
  EXPECT_EQ(plain_text("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(plain_text("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(plain_text("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(plain_text("\xe2\x89"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(HtmlText, IsTextInElementsAndAttributes) {
  EXPECT_EQ(html_text("<a b='c' d=\"e\">&"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;");
}

}  // namespace
}  // namespace crossbind::report
