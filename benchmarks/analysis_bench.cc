// How fast published measurements are imported and analyzed, and a large store analyzed.
//   analysis_bench [PUBLISHED]
// PUBLISHED is the unpacked folder; without it that part is left out. Writes stores in a temporary
// directory and removes them. Exits with 1 where a limit is missed.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>

#include "analysis/tables.h"
#include "base/file.h"
#include "figures.h"
#include "published/import.h"
#include "store/open.h"

namespace {

using namespace crossbind;

constexpr double kMostPublishedSeconds = 2;
constexpr double kMostAnalysisSeconds = 5;
constexpr double kMostMemory = 1024;  // MiB

class Watch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

double peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

bool print(const char* key, const char* what, double value, double most, const char* unit) {
  std::printf("%-48s %9.3f %-4s at most %g\n", what, value, unit, most);
  note_figure(key, fmt::format("{:.3g} {}", value, unit), value <= most);
  return value <= most;
}

Result<size_t> analyze(const std::filesystem::path& path) {
  CB_ASSIGN(const auto store, store::open_for_reading(path));
  CB_ASSIGN(const auto analysis, analysis::analyze(*store));
  return analysis::to_json(analysis::finding_tables(analysis)).size();
}

Result<bool> bench_published(const std::filesystem::path& published,
                             const std::filesystem::path& path) {
  const Watch watch;
  {
    CB_ASSIGN(auto store, store::open(path));
    CB_ASSIGN(const auto report, published::import_published(published, *store));
    std::printf("published: %zu files, %zu trials\n", report.files, report.added);
  }
  CB_TRY(analyze(path));
  return print("published", "import and analysis", watch.seconds(), kMostPublishedSeconds, "s");
}

// Half of the samples are times that are compared, half are steps that are added up.
Status write_large_store(const std::filesystem::path& path) {
  constexpr int kSeeds = 25;
  constexpr int kInferences = 10'000;
  constexpr int kSteps = 3'333;
  CB_ASSIGN(auto store, store::open(path));
  CB_ASSIGN(const auto study, store->add_study({"bench", ""}));
  int number = 0;
  for (const auto* binding : {"pytorch/python", "pytorch/rust"}) {
    for (int seed = 0; seed < kSeeds; ++seed) {
      store::TrialRecord trial;
      trial.axes = {.binding = binding,
                    .model = "lenet5",
                    .dataset = "mnist",
                    .device = "cpu",
                    .task = "infer-parameters",
                    .loader = "resident",
                    .variant = "step",
                    .measure = "total",
                    .seed = static_cast<uint32_t>(seed)};
      trial.identity = fmt::format("{:064x}", number++);
      auto& times = trial.series.emplace_back(store::Series{"infer.total", 0, {}}).values;
      for (int i = 0; i < kInferences; ++i) {
        times.push_back(1 + 1e-6 * ((number * 7919 + i * 104'729) % 999'983));
      }
      CB_TRY(store->add_trial(study, trial));
      trial.identity = fmt::format("{:064x}", number++);
      trial.axes.task = "train";
      trial.axes.measure = "parts";
      trial.series = {{"train.epoch", 1, {1}}};
      for (const auto* metric : {"train.load", "train.forward", "train.backward"}) {
        trial.series.push_back({metric, 1, std::vector<double>(kSteps, 1e-3)});
      }
      CB_TRY(store->add_trial(study, trial));
    }
  }
  return {};
}

Result<bool> bench_large(const std::filesystem::path& path) {
  CB_TRY(write_large_store(path));
  const Watch watch;
  CB_TRY(analyze(path));
  const bool fast = print(
      "analysis", "analysis of 1,000,000 samples", watch.seconds(), kMostAnalysisSeconds, "s");
  return print("analysis_memory", "peak memory", peak_memory(), kMostMemory, "MiB") && fast;
}

Result<bool> run(const std::filesystem::path& published) {
  CB_ASSIGN(const auto directory, TemporaryDirectory::create());
  bool within = true;
  if (!published.empty()) {
    CB_ASSIGN(within, bench_published(published, directory.path() / "published.db"));
  }
  CB_ASSIGN(const bool large, bench_large(directory.path() / "large.db"));
  return within && large;
}

}  // namespace

int main(int argc, char** argv) {
  const auto within = run(argc > 1 ? argv[1] : "");
  if (!within) {
    std::fprintf(stderr, "analysis_bench: %s\n", within.error().to_string().c_str());
    return 1;
  }
  return *within ? 0 : 1;
}
