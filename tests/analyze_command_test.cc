// The program as users run it: import and analyze.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "published/fixtures.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;

class AnalyzeCommandTest : public testing::ScratchTest {
 protected:
  AnalyzeCommandTest() { published::put_tiny_study(scratch("published")); }

  [[nodiscard]] process::Outcome crossbind(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    return process::run({.arguments = std::move(arguments), .directory = scratch("")}).value();
  }
  [[nodiscard]] process::Outcome import(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"import", "published", "published", "--store", "s.db"});
    return crossbind(std::move(options));
  }
  [[nodiscard]] process::Outcome analyze(const std::string& format) const {
    return crossbind({"analyze", "--store", "s.db", "--format", format});
  }
};

TEST_F(AnalyzeCommandTest, ImportsAndEndsWithCounts) {
  const auto first = import();
  EXPECT_EQ(first.exit_code, 0) << first.error;
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("43 files read, 0 not read, 0 unknown: 10 trainings, 3 inferences"),
                    HasSubstr("28 trials added, 0 already there; 0 contradictions\n")));
  const auto second = json::parse(import({"--json"}).out);
  EXPECT_EQ(second["added"], 0);
  EXPECT_EQ(second["already_there"], 28);
}

TEST_F(AnalyzeCommandTest, NamesWhatItCannotReadAndContradictions) {
  published::put(scratch("published/tensorflow/tiny/py/testing_errors_0.txt"), "0.5\nx\n");
  published::put(scratch("published/tensorflow/tiny/rs/deploy_eval_cpu_serialization.txt"),
                 published::rust_inference(1, 0.25));
  const auto imported = import();
  EXPECT_EQ(imported.exit_code, 1);
  EXPECT_THAT(imported.out,
              AllOf(HasSubstr("testing_errors_0.txt:2: 'x'"),
                    HasSubstr("flag"),
                    HasSubstr("42 files read, 1 not read"),
                    HasSubstr("4 contradictions")));
}

TEST_F(AnalyzeCommandTest, GivesTheSameBytesForTheSameStore) {
  ASSERT_EQ(import().exit_code, 0);
  for (const auto* format : {"json", "md", "csv", "latex"}) {
    const auto once = analyze(format);
    EXPECT_EQ(once.exit_code, 0) << once.error;
    EXPECT_EQ(once.out, analyze(format).out);
  }
}

TEST_F(AnalyzeCommandTest, HasTheArraysOfTheFindings) {
  ASSERT_EQ(import().exit_code, 0);
  const auto found = json::parse(analyze("json").out);
  ASSERT_EQ(found["dtw"].size(), 2U);
  EXPECT_EQ(found["dtw"][0]["method"], "fastdtw");
  EXPECT_EQ(found["dtw"][0]["max"], 0.125);
  EXPECT_EQ(found["test_accuracy"][0]["mean"], 0.5);
  EXPECT_EQ(found["test_auc"][1]["n"], 5);
  EXPECT_EQ(found["test_f1"].size(), 0U);
  EXPECT_EQ(found["accuracy_tests"].size(), 2U);
  const auto& training = found["training_time"][0];
  EXPECT_EQ(training["reference"], "python");
  EXPECT_EQ(training["binding"], "javascript");
  EXPECT_EQ(training["median_reference"], 3.0);
  EXPECT_EQ(training["median"], 13.0);
  EXPECT_EQ(training["u"], 0.0);
  EXPECT_EQ(training["significant"], true);
  EXPECT_EQ(training["cliffs_delta"], -1.0);
  EXPECT_EQ(training["effect"], "large");
  const auto& inference = found["inference_time"][0];
  EXPECT_EQ(inference["device"], "cpu");
  EXPECT_EQ(inference["n_reference"], 10);
  EXPECT_EQ(inference["median_reference"], 2.5);
  EXPECT_EQ(found["cross_binding"].size(), 16U);
  EXPECT_EQ(found["contradictions"].size(), 0U);
  EXPECT_EQ(found["training_parts"].size(), 0U);
}

TEST_F(AnalyzeCommandTest, WritesAFileATable) {
  ASSERT_EQ(import().exit_code, 0);
  ASSERT_EQ(crossbind({"analyze", "--store", "s.db", "--format", "latex", "-o", "out"}).exit_code,
            0);
  EXPECT_THAT(read_file(scratch("out/table4.tex")).value(), HasSubstr("0.125/0.125"));
  EXPECT_THAT(read_file(scratch("out/table6.tex")).value(), HasSubstr("not measured"));
  ASSERT_EQ(crossbind({"analyze", "--store", "s.db", "--format", "csv", "-o", "out"}).exit_code, 0);
  EXPECT_THAT(read_file(scratch("out/figure5.csv")).value(),
              HasSubstr("tensorflow,rust,serialization,cpu,reproduced"));
}

TEST_F(AnalyzeCommandTest, SaysWhatIsMissing) {
  const auto no_store = analyze("json");
  EXPECT_EQ(no_store.exit_code, 1);
  EXPECT_THAT(no_store.error, HasSubstr("--store"));
  ASSERT_EQ(import().exit_code, 0);
  EXPECT_THAT(crossbind({"analyze", "--store", "s.db", "--study", "quick"}).error,
              HasSubstr("no study 'quick'"));
  EXPECT_EQ(analyze("xml").exit_code, 2);
}

TEST_F(AnalyzeCommandTest, AFolderThatIsNoneLeavesNoStoreBehind) {
  const auto outcome = crossbind({"import", "published", "nowhere", "--store", "new.db"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.error, HasSubstr("nowhere"));
  EXPECT_FALSE(std::filesystem::exists(scratch("new.db")));
}

}  // namespace
}  // namespace crossbind
