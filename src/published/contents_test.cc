#include "published/contents.h"

#include "published/fixtures.h"
#include "testing/testing.h"

namespace crossbind::published {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Curve, IsOneAccuracyALineWithOrWithoutALastLineEnd) {
  EXPECT_THAT(read_curve("0.5\n7.5e-01\n", 2).value(), ElementsAre(0.5, 0.75));
  EXPECT_THAT(read_curve("0.5\r\n1", std::nullopt).value(), ElementsAre(0.5, 1));
}

TEST(Curve, IsRefusedWithTheLineThatIsWrong) {
  EXPECT_THAT(read_curve("", 2), fails_with(AllOf(HasSubstr("line 1"), HasSubstr("empty"))));
  EXPECT_THAT(read_curve("0.5\nnan\n", 2), fails_with(HasSubstr("line 2: 'nan'")));
  EXPECT_THAT(read_curve("0.5\ninf\n", 2), fails_with(HasSubstr("line 2: 'inf'")));
  EXPECT_THAT(read_curve("0.5\n\n0.5\n", 3), fails_with(HasSubstr("line 2")));
  EXPECT_THAT(read_curve("0.5\n1.5\n", 2),
              fails_with(AllOf(HasSubstr("line 2"), HasSubstr("1.5"))));
  EXPECT_THAT(read_curve("0.5\n0.5x\n", 2), fails_with(HasSubstr("line 2")));
  EXPECT_THAT(read_curve("Accuracy:\n0.5\n", 1), fails_with(HasSubstr("'Accuracy'")));
  EXPECT_THAT(read_curve("true\n", 1), fails_with(HasSubstr("a number alone")));
}

TEST(Curve, MustHaveEveryEpochOfTheStudy) {
  EXPECT_THAT(read_curve("0.5\n0.5\n", 3), fails_with(AllOf(HasSubstr("line 2"), HasSubstr("3"))));
  EXPECT_THAT(read_curve("0.5\n0.5\n0.5\n", 2), fails_with(HasSubstr("line 3")));
}

TEST(TimeCost, IsReadInEachLanguagesOwnForm) {
  const auto python = read_time_cost(
      R"({"training_time": 2.5, "total_time": 4, "eval_time": 1.5, "seed": 7, "test_acc": 0.5})",
      Language::kPython);
  ASSERT_THAT(python, is_ok());
  EXPECT_EQ(python->training, 2.5);
  EXPECT_EQ(python->seed, 7U);
  const auto rust = read_time_cost("4\n1.5\n2.5\n7\n", Language::kRust);
  ASSERT_THAT(rust, is_ok());
  EXPECT_EQ(rust->training, 2.5);
  EXPECT_EQ(rust->total, 4);
  EXPECT_EQ(rust->evaluation, 1.5);
  EXPECT_EQ(read_time_cost("4\n1.5\n2.5", Language::kCsharp)->seed, std::nullopt);
  const auto javascript = read_time_cost(
      "Training Time:\n2.5\nTotal Time:\n4\nEval Time:\n1.5\nTesting Acc:\n0.5\nSeed:\n7",
      Language::kJavascript);
  ASSERT_THAT(javascript, is_ok());
  EXPECT_EQ(javascript->training, 2.5);
  EXPECT_EQ(javascript->test_accuracy, 0.5);
  EXPECT_EQ(javascript->seed, 7U);
}

TEST(TimeCost, IsRefusedWhenItIsIncompleteOrNoTime) {
  EXPECT_THAT(read_time_cost(R"({"total_time": 4})", Language::kPython),
              fails_with(HasSubstr("no 'training_time'")));
  EXPECT_THAT(read_time_cost(R"({"training_time": NaN})", Language::kPython),
              fails_with(AllOf(HasSubstr("line 1"), HasSubstr("not JSON"))));
  EXPECT_THAT(read_time_cost("{\"training_time\":\n 2.5, ", Language::kPython),
              fails_with(AllOf(HasSubstr("line 2"), HasSubstr("where it ends"))));
  EXPECT_THAT(read_time_cost("[1]", Language::kPython), fails_with(HasSubstr("object")));
  EXPECT_THAT(read_time_cost("4\n1.5\n", Language::kRust), fails_with(HasSubstr("line 2")));
  EXPECT_THAT(read_time_cost(":", Language::kRust), fails_with(HasSubstr("line 1")));
  EXPECT_THAT(read_time_cost("4\n1.5\n0\n7\n", Language::kRust), fails_with(HasSubstr("0 s")));
  EXPECT_THAT(read_time_cost("4\n1\n3\n7.5\n", Language::kRust),
              fails_with(AllOf(HasSubstr("line 4"), HasSubstr("seed"))));
  EXPECT_THAT(read_time_cost("Training Time:\n", Language::kJavascript),
              fails_with(HasSubstr("line 1")));
  EXPECT_THAT(read_time_cost("", Language::kCsharp), fails_with(HasSubstr("empty")));
}

TEST(Inference, IsReadInEachLanguagesOwnForm) {
  const auto python = read_inference(python_inference(2, 0.5, 0.25), Language::kPython).value();
  EXPECT_THAT(python.test.seconds, AllOf(SizeIs(5), Each(2)));
  EXPECT_THAT(python.test.same, AllOf(SizeIs(5), Each(true)));
  EXPECT_THAT(python.test.expected, AllOf(SizeIs(5), Each(0.25)));
  const auto csharp = read_inference(csharp_inference(2, 0.5), Language::kCsharp).value();
  EXPECT_THAT(csharp.test.seconds, AllOf(SizeIs(5), Each(2)));
  EXPECT_THAT(csharp.test.accuracies, AllOf(SizeIs(5), Each(0.5)));
  const auto rust = read_inference(rust_inference(2, 0.5), Language::kRust).value();
  EXPECT_EQ(rust.test.average, 2);
  EXPECT_THAT(rust.test.same, AllOf(SizeIs(5), Each(true)));
  EXPECT_TRUE(rust.train.empty());
  const auto javascript = read_inference(javascript_inference(2), Language::kJavascript).value();
  EXPECT_THAT(javascript.test.same, AllOf(SizeIs(5), Each(true)));
  EXPECT_THAT(javascript.test.accuracies, IsEmpty());
  EXPECT_THAT(javascript.train.seconds, AllOf(SizeIs(5), Each(2)));
}

TEST(Inference, JavascriptMayNameItsAccuraciesLater) {
  const auto read = read_inference(javascript_inference(2) + "Test Set Accs:\n" + five("0.5"),
                                   Language::kJavascript);
  EXPECT_THAT(read.value().test.accuracies, AllOf(SizeIs(5), Each(0.5)));
}

// Cut anywhere but between its parts, a file is not read.
TEST(Inference, IsRefusedWhenItIsTruncated) {
  const std::string rust = rust_inference(2, 0.5);
  EXPECT_THAT(read_inference(rust.substr(0, rust.size() - 10), Language::kRust),
              fails_with(AllOf(HasSubstr("line 11"), HasSubstr("4 lines"))));
  const std::string csharp = csharp_inference(2, 0.5);
  EXPECT_THAT(read_inference(csharp.substr(0, csharp.find("Test Accuracy0")), Language::kCsharp),
              fails_with(AllOf(HasSubstr("line 8"), HasSubstr("2 of 3"))));
  EXPECT_THAT(read_inference(csharp.substr(0, csharp.size() - 5), Language::kCsharp),
              fails_with(HasSubstr("4 lines under 'Test Accuracy Stable'")));
  const std::string python = python_inference(2, 0.5, 0.5);
  EXPECT_THAT(read_inference(python.substr(0, 100), Language::kPython),
              fails_with(HasSubstr("where it ends")));
  EXPECT_THAT(read_inference("", Language::kJavascript), fails_with(HasSubstr("empty")));
}

TEST(Inference, IsRefusedWithTheWrongNumberOfTimesOrFlags) {
  EXPECT_THAT(
      read_inference(R"({"test": [1, 2, 3, 4], "testset_same_acc": []})", Language::kPython),
      fails_with(HasSubstr("'test' is not an array of 5")));
  EXPECT_THAT(read_inference("Test Eval Average Time: 2\n" + five("2") + "2\n", Language::kRust),
              fails_with(HasSubstr("parts")));
  EXPECT_THAT(
      read_inference("Average Time: 2\n" + five("2") + "Same:\n" + five("true"), Language::kRust),
      fails_with(AllOf(HasSubstr("line 8"), HasSubstr("an accuracy"))));
  EXPECT_THAT(read_inference("Average Time: 2\n" + five("-2") + "Same:\n" + five("true, 1"),
                             Language::kRust),
              fails_with(AllOf(HasSubstr("line 2"), HasSubstr("-2 s"))));
  EXPECT_THAT(read_inference(rust_inference(2, 1.5), Language::kRust),
              fails_with(AllOf(HasSubstr("line 8"), HasSubstr("outside of 0 to 1"))));
}

TEST(RocAuc, IsTheAreasTheCurvesAndTheEvaluation) {
  const auto read = read_roc_auc(roc(0.75)).value();
  EXPECT_EQ(read.macro, 0.5);
  EXPECT_THAT(read.by_class, SizeIs(2));
  EXPECT_THAT(read.curves.at("1").true_positives, ElementsAre(0, 1));
  EXPECT_TRUE(read.same);
  EXPECT_EQ(read.accuracy, 0.75);
}

TEST(RocAuc, IsRefusedWhenAPartIsMissingOrIsNoCurve) {
  EXPECT_THAT(read_roc_auc("{}"), fails_with(HasSubstr("no 'macro_roc_auc'")));
  EXPECT_THAT(read_roc_auc(R"({"macro_roc_auc": 0.5, "roc_aucs": {}})"),
              fails_with(HasSubstr("'roc_aucs'")));
  EXPECT_THAT(read_roc_auc(R"({"macro_roc_auc": 0.5, "roc_aucs": {"0": 0.5}})"),
              fails_with(HasSubstr("no 'evaluation'")));
  EXPECT_THAT(read_roc_auc(R"({"macro_roc_auc": 0.5, "roc_aucs": {"0": 0.5}, "fprs": {"0": [0]}})"),
              fails_with(HasSubstr("is no curve")));
  EXPECT_THAT(read_roc_auc(R"({"macro_roc_auc": 0.5, "roc_aucs": {"0": 0.5},
                               "evaluation": [0.5, 0.5]})"),
              fails_with(HasSubstr("[same, accuracy, expected]")));
  EXPECT_THAT(read_roc_auc(R"({"macro_roc_auc": 1.5})"),
              fails_with(HasSubstr("outside of 0 to 1")));
  EXPECT_THAT(read_roc_auc(R"({"macro_roc_auc": 1e999})"), fails_with(HasSubstr("too large")));
}

}  // namespace
}  // namespace crossbind::published
