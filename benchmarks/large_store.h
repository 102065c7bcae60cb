// A store of 10,000 trials and 1,000,000 samples, for benchmarks.
#pragma once

#include <filesystem>

#include "store/open.h"

namespace crossbind::benchmarks {

inline constexpr int kSeeds = 25;
inline constexpr int kEpochs = 5;

// Ten bindings, ten models, two loaders, 25 seeds, a training and an inference each.
inline Status write_trials(store::ResultStore& store) {
  CB_ASSIGN(const auto study, store.add_study({"bench", ""}));
  int number = 0;
  for (const auto* framework : {"pytorch", "tensorflow"}) {
    for (const auto* language : {"python", "cpp", "rust", "java", "javascript"}) {
      for (int model = 0; model < 10 * 2 * kSeeds * 2; ++model) {
        const bool trains = model % 2 == 0;
        store::TrialRecord trial;
        trial.identity = fmt::format("{:032x}", ++number);
        trial.axes = {.binding = fmt::format("{}/{}", framework, language),
                      .model = fmt::format("model{}", model / (4 * kSeeds)),
                      .dataset = "mnist",
                      .device = "cpu",
                      .task = trains ? "train" : "infer-parameters",
                      .loader = model / (2 * kSeeds) % 2 == 0 ? "idiomatic" : "resident",
                      .variant = "step",
                      .measure = "total",
                      .seed = static_cast<uint32_t>(model / 2 % kSeeds)};
        trial.peak_memory = (100U + number % 100U) << 20U;
        const auto jitter = [&](int i) {
          return 1 + 1e-6 * ((number * 7919 + i * 104'729) % 99'991);
        };
        if (trains) {
          for (int epoch = 1; epoch <= kEpochs; ++epoch) {
            trial.curve.push_back({epoch, 1.0 / epoch, 1 - 0.5 / (epoch * jitter(epoch)), 0.5});
            trial.series.push_back({"train.epoch", epoch, {jitter(epoch)}});
          }
        } else {
          auto& times = trial.series.emplace_back(store::Series{"infer.total", 0, {}}).values;
          for (int i = 0; i < 195; ++i) {
            times.push_back(jitter(i));
          }
        }
        CB_TRY(store.add_trial(study, trial));
      }
    }
  }
  return {};
}

[[nodiscard]] inline Status write_large_store(const std::filesystem::path& path) {
  CB_ASSIGN(auto store, store::open(path));
  return store->transact([&] { return write_trials(*store); });
}

}  // namespace crossbind::benchmarks
