#include "report/report.h"

#include <algorithm>

#include "report/badge.h"
#include "report/made_up.h"
#include "report/sections.h"
#include "report/spread.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() {
    EXPECT_THAT(make_up(store_), is_ok());
    report_ = gather(store_, std::nullopt, {}).value();
  }

  [[nodiscard]] const Verdict& verdict(const std::string& binding, const std::string& model) const {
    return *std::ranges::find_if(report_.verdicts, [&](const Verdict& each) {
      return each.binding == binding && each.model == model;
    });
  }
  [[nodiscard]] Agreement agreement(const std::string& binding, const std::string& model) const {
    return verdict(binding, model).agreement;
  }

  store::MemoryStore store_;
  Report report_;
};

TEST_F(ReportTest, CountsTrialsAndNamesThemInTheOrderOfTables) {
  EXPECT_EQ(report_.counts.trials, report_.counts.done + 2);
  EXPECT_EQ(report_.counts.failed, 1U);
  EXPECT_EQ(report_.counts.unsupported, 1U);
  EXPECT_THAT(report_.bindings,
              ElementsAre("pytorch/python",
                          "pytorch/javascript",
                          "pytorch/rust",
                          "pytorch/cpp",
                          "tensorflow/python",
                          "tensorflow/javascript",
                          "tensorflow/java"));
  EXPECT_THAT(report_.models, ElementsAre("lenet1", "lenet5"));
  EXPECT_THAT(report_.studies, SizeIs(1));
}

TEST_F(ReportTest, HasAVerdictForEveryBindingAndModel) {
  EXPECT_THAT(report_.verdicts, SizeIs(14));
  EXPECT_EQ(agreement("pytorch/python", "lenet1"), Agreement::kRounding);
  EXPECT_EQ(agreement("pytorch/rust", "lenet1"), Agreement::kRounding);
  EXPECT_EQ(agreement("pytorch/cpp", "lenet1"), Agreement::kAgrees);
  EXPECT_EQ(agreement("tensorflow/javascript", "lenet1"), Agreement::kDiverges);
  EXPECT_EQ(agreement("tensorflow/javascript", "lenet5"), Agreement::kRounding);
  EXPECT_EQ(agreement("tensorflow/java", "lenet5"), Agreement::kFailed);
  EXPECT_EQ(agreement("tensorflow/java", "lenet1"), Agreement::kNotMeasured);
  EXPECT_EQ(agreement("pytorch/javascript", "lenet5"), Agreement::kUnsupported);
}

TEST_F(ReportTest, SaysWhy) {
  EXPECT_THAT(verdict("tensorflow/javascript", "lenet1").why,
              Contains(HasSubstr("step 1, forward 'conv1'[3]")));
  EXPECT_THAT(verdict("pytorch/javascript", "lenet5").why,
              Contains(HasSubstr("no layer 'conv2d'")));
  EXPECT_THAT(verdict("pytorch/cpp", "lenet1").why, Contains(HasSubstr("5 of 5 trainings")));
}

TEST_F(ReportTest, HoldsTimesAgainstTheDefaultBindingOfTheFramework) {
  const auto& rust = *std::ranges::find(report_.training, "pytorch/rust", &Time::binding);
  EXPECT_EQ(rust.seconds.n, 5U);
  EXPECT_THAT(rust.seconds.dots, SizeIs(5));
  EXPECT_NEAR(rust.ratio.value(), 0.8, 1e-12);
  EXPECT_LE(rust.interval.value().low, 0.8);
  EXPECT_GE(rust.interval.value().high, 0.8);
  const auto& python = *std::ranges::find(report_.training, "tensorflow/python", &Time::binding);
  EXPECT_EQ(python.ratio, std::nullopt);
}

TEST_F(ReportTest, CallsNothingADifferenceThatIsBelowTheNoise) {
  auto rust = *std::ranges::find(report_.training, "pytorch/rust", &Time::binding);
  EXPECT_GT(rust.noise.value(), 1);
  EXPECT_LT(rust.noise.value(), 1 / rust.ratio.value());
  EXPECT_TRUE(rust.is_difference());
  rust.is_above_noise = false;
  EXPECT_TRUE(rust.is_significant());
  EXPECT_FALSE(rust.is_difference());
  const auto& python = *std::ranges::find(report_.training, "pytorch/python", &Time::binding);
  EXPECT_FALSE(python.is_difference());
  for (auto& time : report_.training) {
    time.is_above_noise = false;
  }
  EXPECT_THAT(verdict_of(report_),
              Contains(AllOf(HasSubstr("cannot be told from it: 0.80"),
                             HasSubstr("; 0 of 6 comparisons are significant and above noise."))));
  EXPECT_THAT(verdict_of(report_), Contains(HasSubstr("Held against itself, a binding's time")));
}

TEST_F(ReportTest, SaysWhenTooFewTrialsLeaveTheNoiseUnknownOrHuge) {
  for (auto& time : report_.training) {
    time.is_above_noise = false;
    time.noise.reset();
  }
  EXPECT_THAT(verdict_of(report_),
              Contains(HasSubstr(" times as long, and too few trials to know the noise")));
  report_.training.front().noise = 4093.5;
  EXPECT_THAT(verdict_of(report_), Contains(HasSubstr("; at most a factor of 4093.5): ")));
}

TEST(Report, SaysWhatAStudyLeavesOut) {
  store::MemoryStore store;
  ASSERT_THAT(store.add_study({"short", "name = \"short\"\ncuts = [\"all but one seed\"]"}),
              is_ok());
  const auto report = gather(store, std::nullopt, {}).value();
  EXPECT_THAT(report.studies.at(0).cuts, ElementsAre("all but one seed"));
  EXPECT_EQ(not_measured_section(report, {}).tables.at(0).table.rows.at(0).at(0),
            analysis::Value("all but one seed"));
}

TEST_F(ReportTest, HasABandOverSeeds) {
  const auto& band = *std::ranges::find(report_.bands, "tensorflow/javascript", &Band::binding);
  EXPECT_EQ(band.n, 5U);
  ASSERT_THAT(band.test, SizeIs(4));
  EXPECT_LT(band.test[0].low, band.test[0].mean);
  EXPECT_LT(band.test[0].mean, band.test[0].high);
}

TEST_F(ReportTest, KeepsTheEndOfAFailedTrialsLog) {
  ASSERT_THAT(report_.failures, SizeIs(1));
  EXPECT_EQ(report_.failures[0].log, kHostileLog);
}

TEST_F(ReportTest, HasATableAndABadgeForABindingsDocumentation) {
  const auto badge = badge_of(report_, "pytorch/rust");
  ASSERT_THAT(badge, is_ok());
  EXPECT_THAT(badge->markdown, HasSubstr("![crossbind: 2 of 2 models agree](pytorch-rust.svg)"));
  EXPECT_THAT(badge->markdown, HasSubstr("| lenet1, cpu, loader resident | rounding |"));
  EXPECT_THAT(badge->markdown, HasSubstr(" of Python's |"));
  EXPECT_THAT(badge->svg, HasSubstr("<title>crossbind: 2 of 2 models agree</title>"));
  EXPECT_THAT(badge_of(report_, "pytorch/cobol"), fails_with(HasSubstr("It has pytorch/python")));
}

TEST(Report, OfAnEmptyStoreHasNothing) {
  const store::MemoryStore store;
  const auto report = gather(store, std::nullopt, {}).value();
  EXPECT_EQ(report.counts.trials, 0U);
  EXPECT_THAT(report.verdicts, IsEmpty());
}

TEST(Spread, KeepsTheEndsOfVeryManySamples) {
  std::vector<double> values;
  for (int i = 100'000; i > 0; --i) {
    values.push_back(i);
  }
  const auto spread = spread_of(values);
  EXPECT_EQ(spread.n, 100'000U);
  EXPECT_THAT(spread.dots, SizeIs(kMostDots));
  EXPECT_EQ(spread.dots.front(), 1);
  EXPECT_EQ(spread.dots.back(), 100'000);
  EXPECT_EQ(spread.median, 50'000.5);
}

}  // namespace
}  // namespace crossbind::report
