// How fast a store's file takes and gives results->
//   store_bench [DIRECTORY]
// Writes a store there (default: a temporary directory) and removes it.
#include <chrono>
#include <cstdio>

#include "base/file.h"
#include "figures.h"
#include "store/open.h"

namespace {

using namespace crossbind;

double seconds_of(const std::function<Status()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const auto status = work();
  if (!status) {
    std::fprintf(stderr, "store_bench: %s\n", status.error().to_string().c_str());
    std::exit(1);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

store::TrialRecord make_trial(int number, int epochs, int steps) {
  store::TrialRecord trial;
  trial.identity = fmt::format("{:064x}", number);
  trial.axes.binding = "pytorch/rust";
  trial.axes.model = "lenet5";
  trial.host = {{"cpu", "any"}};
  for (const auto* metric : {"backward", "forward", "load"}) {
    for (int epoch = 0; epoch < epochs; ++epoch) {
      auto& series = trial.series.emplace_back();
      series.metric = metric;
      series.epoch = epoch;
      for (int step = 0; step < steps; ++step) {
        series.values.push_back(1e-3 * (step + 1) / (epoch + 1));
      }
    }
  }
  return trial;
}

void print(const char* what, double count, double seconds) {
  std::printf("%-40s %12.0f in %7.3f s  %12.0f /s\n", what, count, seconds, count / seconds);
}

Status run(const std::filesystem::path& directory) {
  constexpr int kLarge = 4;
  constexpr int kEpochs = 10;
  constexpr int kSteps = 10'000;
  constexpr int kSmall = 2'000;
  constexpr int kMany = 20'000;
  CB_ASSIGN(const auto results, store::open(directory / "bench.db"));
  CB_ASSIGN(const auto study, results->add_study({"bench", ""}));
  const double samples = 3.0 * kLarge * kEpochs * kSteps;
  int number = 0;
  const double writing = seconds_of([&]() -> Status {
    for (int i = 0; i < kLarge; ++i) {
      CB_TRY(results->add_trial(study, make_trial(number++, kEpochs, kSteps)));
    }
    return {};
  });
  print("samples written, 300,000 a trial", samples, writing);
  constexpr double kFewestSamples = 50'000;  // a second
  note_figure(
      "store", fmt::format("{:.0f} /s", samples / writing), samples / writing >= kFewestSamples);
  double read = 0;
  print("samples read", samples, seconds_of([&] {
          return results->for_each_trial(study, [&](const store::TrialRecord& trial) -> Status {
            for (const auto& series : trial.series) {
              read += static_cast<double>(series.values.size());
            }
            return {};
          });
        }));
  if (read != samples) {
    return fail(ErrorKind::kCorrupt, "{} samples came back of {}", read, samples);
  }
  print("trials of 300 samples, each on its own", kSmall, seconds_of([&]() -> Status {
          for (int i = 0; i < kSmall; ++i) {
            CB_TRY(results->add_trial(study, make_trial(number++, 1, 100)));
          }
          return {};
        }));
  print("trials of 3 samples, in one transaction", kMany, seconds_of([&] {
          return results->transact([&]() -> Status {
            for (int i = 0; i < kMany; ++i) {
              CB_TRY(results->add_trial(study, make_trial(number++, 1, 1)));
            }
            return {};
          });
        }));
  print("outcomes read", number, seconds_of([&]() -> Status {
          CB_TRY(results->outcomes());
          return {};
        }));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto directory =
      argc > 1 ? TemporaryDirectory::create_in(argv[1]) : TemporaryDirectory::create();
  const auto status = directory ? run(directory->path()) : tl::unexpected(directory.error());
  if (!status) {
    std::fprintf(stderr, "store_bench: %s\n", status.error().to_string().c_str());
    return 1;
  }
  return 0;
}
