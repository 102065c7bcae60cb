#include "app/report_files.h"

#include "report/made_up.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class ReportFilesTest : public testing::ScratchTest {
 protected:
  ReportFilesTest() { EXPECT_THAT(report::make_up(store_), is_ok()); }

  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(scratch("report") / name);
  }

  store::MemoryStore store_;
};

TEST_F(ReportFilesTest, ArePageTextsAndTables) {
  const auto report = gather_report(store_, {}).value();
  ASSERT_THAT(write_report(report::document_of(report), "", scratch("report")), is_ok());
  EXPECT_TRUE(exists("index.html"));
  EXPECT_TRUE(exists("report.md"));
  EXPECT_TRUE(exists("report.tex"));
  EXPECT_FALSE(exists("figures"));
}

TEST_F(ReportFilesTest, OfABadgeAreNamedByTheBinding) {
  const auto report = gather_report(store_, {}).value();
  EXPECT_THAT(write_badge(report, "nobody/nothing", scratch("")),
              fails_with(HasSubstr("nobody/nothing")));
}

TEST_F(ReportFilesTest, NeedTheStudyAndTheVerdictsThatAreNamed) {
  EXPECT_THAT(gather_report(store_, {.study = "nobody"}), fails_with(HasSubstr("nobody")));
  EXPECT_THAT(gather_report(store_, {.conform = scratch("none.json")}),
              fails_with(HasSubstr("none.json")));
}

}  // namespace
}  // namespace crossbind::app
