#include "decide/slowdown.h"

#include <array>
#include <cmath>
#include <limits>

#include "base/named.h"
#include "stats/corrections.h"
#include "stats/input.h"
#include "stats/noise.h"
#include "stats/summary.h"
#include "tensor/normal.h"

namespace crossbind::decide {
namespace {

constexpr size_t kLargestExact = 60;  // numbers in all: some ten milliseconds with ties

constexpr std::array kPaces = {Named<Pace>{"slower", Pace::kSlower},
                               Named<Pace>{"within the limit", Pace::kWithinLimit},
                               Named<Pace>{"within the noise", Pace::kWithinNoise},
                               Named<Pace>{"faster", Pace::kFaster},
                               Named<Pace>{"not slower", Pace::kNotSlower},
                               Named<Pace>{"too few samples", Pace::kTooFew}};

double ratio_of(double baseline, double candidate) {
  if (baseline > 0) {
    return candidate / baseline;
  }
  return candidate > 0 ? std::numeric_limits<double>::infinity() : 1;
}

// The noise floor is what 95 of 100 differences by chance stay within; of another alpha it is as
// much nearer or further as in a normal distribution.
Result<std::optional<double>> noise_of(const TimeSamples& samples, double alpha) {
  constexpr double kUsual = 0.05;
  CB_ASSIGN(const auto floor, stats::noise_of_ratio(samples.baseline, samples.candidate));
  const auto quantile = [](double level) { return tensor::normal_quantile(1 - level / 2); };
  return floor ? std::optional(std::pow(*floor, quantile(alpha) / quantile(kUsual))) : std::nullopt;
}

Pace pace_of(const TimeFinding& found, const TimeLimits& limits) {
  if (found.p_adjusted <= limits.alpha && found.noise &&
      !stats::is_above_noise(found.ratio, found.noise)) {
    return Pace::kWithinNoise;
  }
  if (found.p_adjusted <= limits.alpha && found.larger < 0.5) {
    return Pace::kFaster;
  }
  if (found.p_adjusted <= limits.alpha) {
    return found.ratio > 1 + limits.slowdown ? Pace::kSlower : Pace::kWithinLimit;
  }
  return found.smallest_p > limits.alpha ? Pace::kTooFew : Pace::kNotSlower;
}

}  // namespace

std::string_view to_string(Pace pace) {
  return name_in(kPaces, pace);
}

Result<TimeFinding> compare_times(const TimeSamples& samples, stats::Alternative alternative) {
  const auto& [baseline, candidate] = samples;
  const size_t count = baseline.size() + candidate.size();
  const auto method = count <= kLargestExact ? stats::UMethod::kExact : stats::UMethod::kAsymptotic;
  TimeFinding found;
  CB_ASSIGN(found.median_baseline, stats::median(baseline));
  CB_ASSIGN(found.median_candidate, stats::median(candidate));
  found.ratio = ratio_of(found.median_baseline, found.median_candidate);
  CB_ASSIGN(const auto test, stats::mann_whitney(candidate, baseline, method, alternative));
  found.p = test.p;
  found.larger = test.u / static_cast<double>(baseline.size() * candidate.size());
  CB_ASSIGN(const double two_sided, stats::smallest_p(baseline.size(), candidate.size(), method));
  found.smallest_p = alternative == stats::Alternative::kTwoSided ? two_sided : two_sided / 2;
  return found;
}

Result<std::vector<TimeFinding>> judge_times(std::span<const TimeSamples> comparisons,
                                             const TimeLimits& limits) {
  CB_TRY(stats::check_probability(limits.alpha, "alpha"));
  std::vector<TimeFinding> findings;
  std::vector<double> p;
  findings.reserve(comparisons.size());
  p.reserve(comparisons.size());
  for (const auto& samples : comparisons) {
    CB_ASSIGN(auto found, compare_times(samples, stats::Alternative::kTwoSided));
    CB_ASSIGN(found.noise, noise_of(samples, limits.alpha));
    findings.push_back(found);
    p.push_back(found.p);
  }
  CB_ASSIGN(const auto adjusted, stats::hochberg(p));
  const double alone = limits.alpha / static_cast<double>(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    findings[i].p_adjusted = adjusted[i];
    findings[i].pace = pace_of(findings[i], limits);
    if (findings[i].smallest_p > alone) {
      CB_ASSIGN(findings[i].needed, stats::smallest_n(alone, stats::UMethod::kExact));
    }
  }
  return findings;
}

}  // namespace crossbind::decide
