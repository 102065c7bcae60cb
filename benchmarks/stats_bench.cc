// The statistics that are called most: DTW of two curves of 200 points, and U of 10 against 10.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "stats/dtw.h"
#include "stats/rank_tests.h"

namespace crossbind::stats {
namespace {

// A learning curve; benchmarks/stats makes the same.
std::vector<double> curve(double rate) {
  std::vector<double> points;
  for (int i = 1; i <= 200; ++i) {
    points.push_back(1 - std::exp(-i / rate) + 0.01 * std::sin(rate * i));
  }
  return points;
}

void dtw_squared(benchmark::State& state) {
  const auto a = curve(17);
  const auto b = curve(23);
  for (auto _ : state) {
    benchmark::DoNotOptimize(dtw(a, b, {.cost = PointCost::kSquared}));
  }
  state.counters["value"] = std::sqrt(dtw(a, b, {.cost = PointCost::kSquared}).value().distance);
}
BENCHMARK(dtw_squared);

void fastdtw_radius_1(benchmark::State& state) {
  const auto a = curve(17);
  const auto b = curve(23);
  for (auto _ : state) {
    benchmark::DoNotOptimize(fastdtw(a, b));
  }
  state.counters["value"] = fastdtw(a, b).value().distance;
}
BENCHMARK(fastdtw_radius_1);

void exact_u(benchmark::State& state) {
  const auto a = curve(17);
  const auto b = curve(23);
  const auto first = std::span(a).subspan(0, 10);
  const auto second = std::span(b).subspan(0, 10);
  for (auto _ : state) {
    benchmark::DoNotOptimize(mann_whitney(first, second, UMethod::kExact));
  }
  state.counters["value"] = mann_whitney(first, second, UMethod::kExact).value().p;
}
BENCHMARK(exact_u);

}  // namespace
}  // namespace crossbind::stats

BENCHMARK_MAIN();
