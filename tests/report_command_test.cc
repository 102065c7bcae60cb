// The program as users run it: report.
#include "process/command.h"
#include "published/fixtures.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportCommandTest : public testing::ScratchTest {
 protected:
  ReportCommandTest() {
    published::put_tiny_study(scratch("published"));
    EXPECT_EQ(crossbind({"import", "published", "published", "--store", "s.db"}).exit_code, 0);
  }

  [[nodiscard]] process::Outcome crossbind(std::vector<std::string> arguments,
                                           std::vector<std::string> environment = {}) const {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    return process::run({.arguments = std::move(arguments),
                         .directory = scratch(""),
                         .environment = std::move(environment),
                         .while_running = {}})
        .value();
  }
  [[nodiscard]] process::Outcome report(std::vector<std::string> options,
                                        std::vector<std::string> environment = {}) const {
    options.insert(options.begin(), {"report", "--store", "s.db"});
    return crossbind(std::move(options), std::move(environment));
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    return read_file(scratch(name)).value();
  }
};

TEST_F(ReportCommandTest, WritesAPageAndTheSameInOtherFormats) {
  const auto written = report({"-o", "out"});
  EXPECT_EQ(written.exit_code, 0) << written.error;
  EXPECT_THAT(written.out, AllOf(HasSubstr("28 trials of"), HasSubstr("out/index.html\n")));
  EXPECT_THAT(text("out/index.html"),
              AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("vegaEmbed"), HasSubstr("</html>")));
  EXPECT_THAT(text("out/report.md"), HasSubstr("## Training time"));
  EXPECT_THAT(text("out/report.tex"), HasSubstr("\\section{Training time}"));
  EXPECT_THAT(text("out/training_times.csv"), HasSubstr("tensorflow/python"));
}

TEST_F(ReportCommandTest, LoadsNothingFromElsewhere) {
  EXPECT_EQ(report({"-o", "out"}).exit_code, 0);
  EXPECT_THAT(text("out/index.html"),
              AllOf(Not(HasSubstr("<script src")),
                    Not(HasSubstr("<link")),
                    Not(HasSubstr("@import")),
                    HasSubstr("default-src 'none'")));
}

TEST_F(ReportCommandTest, GivesTheSameBytesForTheSameStore) {
  EXPECT_EQ(report({"-o", "a"}).exit_code, 0);
  EXPECT_EQ(report({"-o", "b"}).exit_code, 0);
  for (const auto* name : {"index.html", "report.md", "report.tex", "verdicts.csv"}) {
    EXPECT_EQ(text(std::string("a/") + name), text(std::string("b/") + name)) << name;
  }
}

TEST_F(ReportCommandTest, WritesATableAndABadgeForABinding) {
  EXPECT_EQ(report({"-o", "out", "--benchmark-table", "tensorflow/javascript"}).exit_code, 0);
  EXPECT_THAT(text("out/tensorflow-javascript.md"), HasSubstr("(tensorflow-javascript.svg)"));
  EXPECT_THAT(text("out/tensorflow-javascript.svg"), HasSubstr("</svg>"));
  const auto unknown = report({"-o", "out", "--benchmark-table", "tensorflow/cobol"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.error, HasSubstr("tensorflow/javascript"));
}

TEST_F(ReportCommandTest, SaysWhatFiguresNeed) {
  const auto without = report({"-o", "out", "--figures", "svg"}, {"PATH=/nowhere"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.error, HasSubstr("node, which is not in PATH"));
}

TEST_F(ReportCommandTest, NamesAStoreThatIsNotThere) {
  const auto missing = crossbind({"report", "--store", "none.db"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.error, HasSubstr("none.db"));
}

}  // namespace
}  // namespace crossbind
