#include "report/report.h"

#include <algorithm>

#include "report/badge.h"
#include "report/made_up.h"
#include "report/sections.h"
#include "report/spread.h"
#include "store/memory_store.h"
#include "tasks/measured.h"
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

  [[nodiscard]] const Graded& graded(const std::string& binding, const std::string& model) const {
    return *std::ranges::find_if(report_.graded, [&](const Graded& each) {
      return each.binding == binding && each.model == model;
    });
  }
  [[nodiscard]] Grade grade(const std::string& binding, const std::string& model) const {
    return graded(binding, model).grade;
  }

  store::MemoryStore store_;
  Report report_;
  int kept_ = 0;
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

TEST_F(ReportTest, GradesEveryBindingOnEveryModel) {
  EXPECT_THAT(report_.graded, SizeIs(14));
  EXPECT_EQ(grade("pytorch/python", "lenet1"), Grade::kRounding);
  EXPECT_EQ(grade("pytorch/rust", "lenet1"), Grade::kRounding);
  EXPECT_EQ(grade("pytorch/cpp", "lenet1"), Grade::kAgrees);
  EXPECT_EQ(grade("tensorflow/javascript", "lenet1"), Grade::kDiverges);
  EXPECT_EQ(grade("tensorflow/javascript", "lenet5"), Grade::kRounding);
  EXPECT_EQ(grade("tensorflow/java", "lenet5"), Grade::kFailed);
  EXPECT_EQ(grade("tensorflow/java", "lenet1"), Grade::kNotMeasured);
  EXPECT_EQ(grade("pytorch/javascript", "lenet5"), Grade::kUnsupported);
}

TEST_F(ReportTest, SaysWhy) {
  EXPECT_THAT(graded("tensorflow/javascript", "lenet1").why,
              Contains(HasSubstr("step 1, forward 'conv1'[3]")));
  EXPECT_THAT(graded("pytorch/javascript", "lenet5").why, Contains(HasSubstr("no layer 'conv2d'")));
  EXPECT_THAT(graded("pytorch/cpp", "lenet1").why, Contains(HasSubstr("5 of 5 trainings")));
}

TEST_F(ReportTest, VerdictsOfConformAreInTheMatrixAndNowhereElse) {
  const auto before = report_;
  const auto study = store_.add_study({"conform", "steps = 5\n"}).value();
  const auto keep = [&](const std::string& binding, tasks::ConformOutcome outcome) {
    store::TrialRecord trial;
    trial.identity = fmt::format("c{:x}", ++kept_);
    trial.axes.binding = binding;
    trial.axes.model = "lenet5";
    trial.axes.device = "cpu";
    trial.axes.task = "conform";
    trial.started = store::Time(std::chrono::microseconds(1));
    trial.host = {{"cpu", "another"}};
    if (outcome == tasks::ConformOutcome::kFailed) {
      trial.outcome = store::Outcome::kFailed;
      trial.reason = "it died";
    }
    tasks::write(tasks::Conformed{.outcome = outcome, .ratio = 0.25, .reason = trial.reason},
                 trial);
    EXPECT_THAT(store_.add_trial(study, trial), is_ok());
  };
  keep("pytorch/rust", tasks::ConformOutcome::kConvention);
  keep("pytorch/python", tasks::ConformOutcome::kFailed);
  report_ = gather(store_, std::nullopt, {}).value();
  EXPECT_EQ(grade("pytorch/rust", "lenet5"), Grade::kConvention);
  EXPECT_EQ(grade("pytorch/python", "lenet5"), Grade::kFailed);
  EXPECT_THAT(graded("pytorch/python", "lenet5").why, Contains("conform: it died"));
  EXPECT_EQ(report_.counts.trials, before.counts.trials);
  EXPECT_EQ(report_.counts.samples, before.counts.samples);
  EXPECT_EQ(report_.counts.failed, before.counts.failed);
  EXPECT_EQ(report_.first, before.first);
  EXPECT_EQ(report_.failures.size(), before.failures.size());
  EXPECT_EQ(report_.studies.size(), before.studies.size());
  EXPECT_EQ(report_.inference.size(), before.inference.size());
  EXPECT_EQ(report_.hosts, before.hosts);
  EXPECT_EQ(report_.analysis.components.size(), before.analysis.components.size());
  const auto of_study = gather(store_, store_.studies().value()[0].id, {}).value();
  EXPECT_EQ(of_study.graded.size(), report_.graded.size());
  report_ = of_study;
  EXPECT_EQ(grade("pytorch/rust", "lenet5"), Grade::kConvention);
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
  EXPECT_EQ(rust.difference(), analysis::Difference::kFound);
  rust.is_above_noise = false;
  EXPECT_EQ(rust.difference(), analysis::Difference::kBelowNoise);
  const auto& python = *std::ranges::find(report_.training, "pytorch/python", &Time::binding);
  EXPECT_EQ(python.difference(), std::nullopt);
  for (auto& time : report_.training) {
    time.is_above_noise = false;
  }
  EXPECT_THAT(summary_of(report_),
              Contains(AllOf(HasSubstr("cannot be told from it: 0.80"),
                             HasSubstr("; 0 of 6 comparisons are significant and above noise."))));
  EXPECT_THAT(summary_of(report_), Contains(HasSubstr("Held against itself, a binding's time")));
}

TEST_F(ReportTest, SaysWhenTooFewTrialsLeaveTheNoiseUnknownOrHuge) {
  for (auto& time : report_.training) {
    time.is_above_noise = false;
    time.noise.reset();
  }
  EXPECT_THAT(summary_of(report_),
              Contains(HasSubstr(" times as long, and too few trials to know the noise")));
  report_.training.front().noise = 4093.5;
  EXPECT_THAT(summary_of(report_), Contains(HasSubstr("; at most a factor of 4093.5): ")));
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
  EXPECT_THAT(report.graded, IsEmpty());
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
