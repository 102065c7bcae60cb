// Time and memory of the referee's training steps. Run through benchmarks/run, which sets PyTorch
// beside it in the same run.
#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <string>

#include "model/model.h"
#include "referee/network.h"
#include "referee/test_batch.h"

namespace crossbind::referee {
namespace {

double peak_gibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
}

void train_step(benchmark::State& state, const std::string& id, int64_t batch_size) {
  const auto model = model::find_model(
      id, std::filesystem::path(CROSSBIND_SOURCE_DIR) / "models", model::Geometry::kFull);
  if (!model) {
    state.SkipWithError(model.error().to_string().c_str());
    return;
  }
  Network<double> network(*model, {.threads = 1}, {});
  if (const auto loaded = network.load(make_parameters(*model, 1)); !loaded) {
    state.SkipWithError(loaded.error().to_string().c_str());
    return;
  }
  const auto batch = make_batch<double>(*model, batch_size, 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(network.train_step(batch.inputs, batch.targets));
  }
  state.counters["peak_GiB"] = peak_gibibytes();  // of the process: run one benchmark at a time
}

BENCHMARK_CAPTURE(train_step, lenet5_batch_128, "lenet5", 128)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(2);
BENCHMARK_CAPTURE(train_step, vgg16_batch_8, "vgg16", 8)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);
BENCHMARK_CAPTURE(train_step, lstm_batch_8, "lstm", 8)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);

}  // namespace
}  // namespace crossbind::referee

BENCHMARK_MAIN();
