#include "serve/comparison.h"

#include "testing/testing.h"

namespace crossbind::serve {
namespace {

using analysis::Difference;
using Numbers = std::vector<double>;

// So many numbers, a little apart, from the first one on.
Numbers around(double first, int count) {
  Numbers numbers;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(first + 0.001 * i);
  }
  return numbers;
}

Numbers both(Numbers some, const Numbers& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

// Two bindings of two frameworks with these times, and these accuracies.
report::Report report_of(const std::array<Numbers, 2>& times,
                         const std::array<Numbers, 2>& scores) {
  const std::array<std::string, 2> frameworks = {"pytorch", "tensorflow"};
  report::Report report;
  for (size_t i = 0; i < 2; ++i) {
    const analysis::Scope scope{frameworks[i], "lenet5", {}};
    report.bindings.push_back(frameworks[i] + "/python");
    report.analysis.training_times.push_back({scope, "python", "cpu", times[i], 0});
    report.analysis.scores.push_back({analysis::Score::kAccuracy, scope, "python", scores[i], 0});
  }
  return report;
}

Compared compared(const std::array<Numbers, 2>& times, const std::array<Numbers, 2>& scores) {
  return compare_bindings(report_of(times, scores), "pytorch/python", "tensorflow/python").value();
}

TEST(Comparison, CallsItADifferenceWhenItIsSignificantAndAboveTheNoise) {
  const auto found = compared({around(1, 8), around(2, 8)}, {around(0.8, 8), around(0.9, 8)});
  EXPECT_EQ(found.times.at(0).difference(), Difference::kFound);
  EXPECT_LT(found.times.at(0).noise.value(), 1.1);
  EXPECT_EQ(found.scores.at(0).difference(), Difference::kFound);
  EXPECT_LT(found.scores.at(0).noise.value(), 0.01);
}

TEST(Comparison, CallsNothingADifferenceThatIsBelowTheNoise) {
  // Times of one binding that are short or long by turns: which of them is in the middle is chance.
  const auto by_turns = both(around(1, 15), around(2, 15));
  const auto mostly_long = both(around(1.1, 5), around(2.1, 25));
  const auto found = compared({by_turns, mostly_long}, {around(0.8, 8), around(0.801, 8)});
  const auto& times = found.times.at(0);
  EXPECT_LE(times.p_adjusted, 0.05);
  EXPECT_GT(times.noise.value(), times.comparison.ratio.value());
  EXPECT_FALSE(times.is_above_noise);
  EXPECT_EQ(times.difference(), Difference::kBelowNoise);
}

TEST(Comparison, OfTooFewNumbersTellsNothing) {
  const auto found = compared({Numbers{1}, Numbers{2}}, {Numbers{0.8}, Numbers{0.9}});
  EXPECT_EQ(found.times.at(0).noise, std::nullopt);
  EXPECT_EQ(found.times.at(0).difference(), Difference::kTooFew);
  EXPECT_EQ(found.scores.at(0).difference(), Difference::kTooFew);
}

}  // namespace
}  // namespace crossbind::serve
