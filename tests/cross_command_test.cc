// `crossbind cross` and `crossbind check` as users run them, with workers that are always there.
#include <nlohmann/json.hpp>

#include "run_fixture.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class CrossCommandTest : public RunTest {
 protected:
  // crossbind cross OPTION... on few samples.
  [[nodiscard]] process::Outcome cross(const std::vector<std::string>& options) const {
    std::vector<std::string> arguments{
        "cross", "--model", "lenet1", "--data", "glyphs-200-50", "--epochs", "1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return crossbind(std::move(arguments));
  }

  // Trains once; the file of its parameters.
  [[nodiscard]] std::filesystem::path trained() const {
    write_study("\"reference/cpp\"", 1);
    EXPECT_EQ(run().exit_code, 0);
    for (const auto& file : std::filesystem::directory_iterator(scratch("cache/trained"))) {
      if (file.path().string().find("outputs") == std::string::npos) {
        return file.path();
      }
    }
    return {};
  }
  [[nodiscard]] process::Outcome check(const std::string& file,
                                       const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{
        "check", file, "--model", "lenet1", "--data", "glyphs-200-50"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return crossbind(std::move(arguments));
  }
};

TEST_F(CrossCommandTest, PrintsAMatrixStoresItAndGoesOnWhereItEnded) {
  const auto first = cross({"--csv", "cells.csv"});
  EXPECT_EQ(first.exit_code, 0) << first.out << first.error;
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("lenet1 on glyphs-200-50, by parameters\n"),
                    HasSubstr("1  reference/cpp "),
                    HasSubstr(" %  ≈ "),  // it computes in float64 and saves float32
                    Not(HasSubstr("serialization"))));
  EXPECT_THAT(read_file(scratch("cells.csv")).value(),
              HasSubstr("lenet1,glyphs-200-50,parameters,reference/cpp,reference/cpp,close,"));
  const auto before = stored();
  EXPECT_THAT(before, SizeIs(2));
  const auto again = cross({});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(stored(), before);
  expect_sound_store();
  expect_no_process_is_left();
}

TEST_F(CrossCommandTest, TheStoreTellsTheAnalysisWhatItFound) {
  ASSERT_EQ(cross({}).exit_code, 0);
  const auto analyzed = crossbind({"analyze", "--store", "crossbind.db", "--format", "json"});
  ASSERT_EQ(analyzed.exit_code, 0) << analyzed.error;
  const json found = json::parse(analyzed.out)["cross_binding"];
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]["outcome"], "reproduced");
  EXPECT_EQ(found[0]["differing"], 0);
  EXPECT_GT(found[0]["largest_output_difference"], 0);
}

TEST_F(CrossCommandTest, ABindingThatFailsIsACellAndNotTheEnd) {
  add_misbehaving_worker("crash");
  const auto outcome = cross({"--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.error;
  std::map<std::string, std::string> cells;
  const json table = json::parse(outcome.out);
  for (const auto& cell : table["cross"]) {
    cells[cell["trained_in"].get<std::string>() + " " + cell["scored_in"].get<std::string>()] =
        cell["outcome"];
  }
  EXPECT_EQ(cells["reference/cpp reference/cpp"], "close");
  EXPECT_EQ(cells["reference/cpp toy/crash"], "failed");
  EXPECT_EQ(cells["toy/crash reference/cpp"], "not run");
  expect_sound_store();
}

TEST_F(CrossCommandTest, SaysWhatIsWrongBeforeAnythingRuns) {
  const auto unknown = cross({"reference/rust"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.error, HasSubstr("there is no binding 'reference/rust'"));
  const auto model = crossbind({"cross", "--model", "lenet9"});
  EXPECT_EQ(model.exit_code, 1);
  EXPECT_THAT(model.error, HasSubstr("there is no model 'lenet9'"));
  EXPECT_EQ(cross({"--epochs", "0"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch("crossbind.db")));
  EXPECT_THAT(crossbind({"cross", "--help"}).out, HasSubstr("Example:"));
}

TEST_F(CrossCommandTest, CheckComparesParametersWithTheReferee) {
  const auto file = trained();
  const auto outcome = check(file);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.error;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("as lenet1, 50 samples, compared with referee\n"),
                    HasSubstr("reference/cpp")));
  const json rows = json::parse(check(file, {"--json"}).out)["check"];
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]["binding"], "reference/cpp");
  EXPECT_THAT((std::vector<std::string>{"identical", "close"}),
              Contains(rows[0]["outcome"].get<std::string>()));
  EXPECT_EQ(rows[0]["differing"], 0);
  EXPECT_EQ(rows[0]["accuracy"], rows[0]["expected_accuracy"]);
  EXPECT_TRUE(std::filesystem::is_empty(scratch("cache/run")));
  expect_no_process_is_left();
}

TEST_F(CrossCommandTest, CheckShowsABindingThatFailsBesideTheOthers) {
  const auto file = trained();
  add_misbehaving_worker("crash");
  const auto outcome = check(file, {"--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.error;
  const json rows = json::parse(outcome.out)["check"];
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0]["differing"], 0);
  EXPECT_EQ(rows[1]["outcome"], "failed");
  EXPECT_NE(rows[1]["reason"], "");
}

TEST_F(CrossCommandTest, CheckSaysWhatIsWrongWithTheFiles) {
  const auto file = trained();
  write("text.pt", "hello");
  const auto text = check("text.pt");
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.error, HasSubstr("no TorchScript file"));
  const auto other =
      crossbind({"check", file.string(), "--model", "lenet5", "--data", "glyphs-200-50"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.error, HasSubstr(file.filename().string()));
  const auto absent = crossbind({"check", file.string(), "--model", "lenet1", "--data", "mnist"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.error, HasSubstr("crossbind dataset get mnist"));
  write("archive.pt", "PK\x03\x04");
  EXPECT_THAT(check("archive.pt").error, HasSubstr("none of the bindings"));
  EXPECT_EQ(crossbind({"check", file.string()}).exit_code, 2);
  EXPECT_THAT(crossbind({"check", "--help"}).out, HasSubstr("Example:"));
}

}  // namespace
}  // namespace crossbind
