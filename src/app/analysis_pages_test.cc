#include "app/analysis_pages.h"

#include "report/made_up.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using testing::is_ok;
using ::testing::SizeIs;

class AnalysisPagesTest : public testing::ScratchTest {
 protected:
  AnalysisPagesTest() {
    store::MemoryStore store;
    EXPECT_THAT(report::make_up(store), is_ok());
    found_ = analysis::analyze(store).value();
  }

  analysis::Analysis found_;
};

TEST_F(AnalysisPagesTest, OfJsonAreOneWithAllFindings) {
  const auto pages = pages_of(found_, PageFormat::kJson);
  ASSERT_THAT(pages, SizeIs(1));
  EXPECT_EQ(pages.front().name, "analysis.json");
}

TEST_F(AnalysisPagesTest, AreTheSameTablesInEveryFormatForReaders) {
  const auto markdown = pages_of(found_, PageFormat::kMarkdown);
  const auto csv = pages_of(found_, PageFormat::kCsv);
  const auto latex = pages_of(found_, PageFormat::kLatex);
  ASSERT_GT(markdown.size(), 1U);
  ASSERT_THAT(csv, SizeIs(markdown.size()));
  ASSERT_THAT(latex, SizeIs(markdown.size()));
  for (size_t i = 0; i < markdown.size(); ++i) {
    const std::filesystem::path name = markdown[i].name;
    EXPECT_EQ(name.extension(), ".md");
    EXPECT_EQ(csv[i].name, name.stem().string() + ".csv");
    EXPECT_EQ(latex[i].name, name.stem().string() + ".tex");
  }
}

TEST_F(AnalysisPagesTest, BecomeFiles) {
  ASSERT_THAT(write_pages({{"a.md", "one"}, {"b.md", "two"}}, scratch("made/tables")), is_ok());
  EXPECT_EQ(read_file(scratch("made/tables/b.md")).value(), "two");
}

}  // namespace
}  // namespace crossbind::app
