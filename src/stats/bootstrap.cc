#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/distributions.h"
#include "stats/input.h"
#include "stats/summary.h"
#include "tensor/normal.h"
#include "tensor/philox.h"

namespace crossbind::stats {
namespace {

using Samples = std::vector<std::vector<double>>;
using StatisticOfSamples = std::function<double(const Samples&)>;

// A sample's resamples; each sample has a stream of its own.
class Resampler {
 public:
  Resampler(std::span<const double> sample, uint32_t seed, uint32_t index)
      : sample_(sample),
        stream_(seed, tensor::Purpose::kBootstrap, index) {}

  void draw(std::vector<double>& resample) {
    for (double& value : resample) {
      value = sample_[stream_.below(static_cast<uint32_t>(sample_.size()))];
    }
  }

 private:
  std::span<const double> sample_;
  tensor::PhiloxStream stream_;
};

Result<std::vector<double>> resampled(const Samples& samples,
                                      const StatisticOfSamples& statistic,
                                      const BootstrapOptions& options) {
  std::vector<Resampler> resamplers;
  for (size_t i = 0; i < samples.size(); ++i) {
    resamplers.emplace_back(samples[i], options.seed, static_cast<uint32_t>(i));
  }
  Samples resample = samples;
  std::vector<double> values(options.resamples);
  for (double& value : values) {
    for (size_t i = 0; i < samples.size(); ++i) {
      resamplers[i].draw(resample[i]);
    }
    value = statistic(resample);
    if (!std::isfinite(value)) {
      return fail(ErrorKind::kInvalid, "the statistic of a resample is {}", value);
    }
  }
  std::ranges::sort(values);
  return values;
}

// From the statistic without each number in turn: Efron and Tibshirani (14.15); for several samples
// Davison and Hinkley, Bootstrap Methods and their Application (1997), (5.22) and 3.2.1.
double acceleration(const Samples& samples, const StatisticOfSamples& statistic) {
  double cubes = 0;
  double squares = 0;
  for (size_t s = 0; s < samples.size(); ++s) {
    const auto n = static_cast<double>(samples[s].size());
    std::vector<double> influence;
    Samples rest = samples;
    double mean = 0;
    for (size_t i = 0; i < samples[s].size(); ++i) {
      rest[s] = samples[s];
      rest[s].erase(rest[s].begin() + static_cast<std::ptrdiff_t>(i));
      influence.push_back(statistic(rest));
      mean += influence.back() / n;
    }
    for (const double value : influence) {
      const double u = (n - 1) * (mean - value) / n;
      cubes += u * u * u;
      squares += u * u;
    }
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

Interval quantiles(std::span<const double> sorted, double low, double high) {
  return {quantile_of_sorted(sorted, low), quantile_of_sorted(sorted, high)};
}

Result<BootstrapInterval> interval_of(const Samples& samples,
                                      const StatisticOfSamples& statistic,
                                      const BootstrapOptions& options) {
  CB_TRY(check_probability(options.confidence, "the confidence"));
  if (options.resamples == 0) {
    return fail(ErrorKind::kInvalid, "a bootstrap needs resamples");
  }
  CB_ASSIGN(const auto values, resampled(samples, statistic, options));
  const double tail = (1 - options.confidence) / 2;
  const BootstrapInterval percentile = {quantiles(values, tail, 1 - tail),
                                        BootstrapKind::kPercentile};
  if (options.kind == BootstrapKind::kPercentile) {
    return percentile;
  }
  // Resamples equal to the estimate count half on either side.
  const auto [first, last] = std::equal_range(values.begin(), values.end(), statistic(samples));
  const double below = static_cast<double>((first - values.begin()) + (last - values.begin())) /
                       (2 * static_cast<double>(values.size()));
  const double a = acceleration(samples, statistic);
  if (below <= 0 || below >= 1 || !std::isfinite(a)) {
    return percentile;
  }
  const double bias = tensor::normal_quantile(below);
  const auto adjusted = [&](double p) {
    const double z = bias + tensor::normal_quantile(p);
    return normal_survival(-(bias + z / (1 - a * z)));
  };
  return BootstrapInterval{quantiles(values, adjusted(tail), adjusted(1 - tail)),
                           BootstrapKind::kBca};
}

Status check_sample(std::span<const double> sample, std::string_view name) {
  if (sample.size() > std::numeric_limits<uint32_t>::max()) {
    return fail(ErrorKind::kUnsupported, "{} is too large to resample", name);
  }
  return check_finite(sample, name, 2);
}

}  // namespace

Result<BootstrapInterval> bootstrap(std::span<const double> sample,
                                    const Statistic& statistic,
                                    const BootstrapOptions& options) {
  CB_TRY(check_sample(sample, "the sample"));
  return interval_of(
      {{sample.begin(), sample.end()}},
      [&](const Samples& samples) { return statistic(samples[0]); },
      options);
}

Result<BootstrapInterval> bootstrap(std::span<const double> a,
                                    std::span<const double> b,
                                    const TwoSampleStatistic& statistic,
                                    const BootstrapOptions& options) {
  CB_TRY(check_sample(a, "sample a"));
  CB_TRY(check_sample(b, "sample b"));
  return interval_of(
      {{a.begin(), a.end()}, {b.begin(), b.end()}},
      [&](const Samples& samples) { return statistic(samples[0], samples[1]); },
      options);
}

}  // namespace crossbind::stats
