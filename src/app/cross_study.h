// The study behind `crossbind cross`: every binding trains and saves, and every binding scores what
// each of them saved. Made as the text of a study file, because that is what the store keeps and
// what the dashboard plans from: a value made beside it could say something else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/study_facts.h"
#include "base/error.h"
#include "spec/study.h"
#include "workers/binding.h"

namespace crossbind::app {

struct CrossQuestion {
  std::vector<std::string> models;  // ids and files; none: the LeNets on generated digits
  std::string dataset;              // empty: each model's own
  std::string device = "cpu";
  int64_t epochs = 3;
  std::optional<int64_t> train_samples;  // nothing: all
  bool whole = false;                    // the whole test set for large models too
};

// A model of more parameters is scored on so many of the first test samples, unless `whole`.
inline constexpr int64_t kSmallModel = 100'000;
inline constexpr int64_t kTestSubset = 1'000;

// The text of the study. Models are found by `find_model`; the bindings have manifests.
[[nodiscard]] Result<std::string> cross_study(const CrossQuestion& question,
                                              const std::vector<workers::Binding>& bindings,
                                              const spec::FindModel& find_model);

// A cross study with the facts of the machine. Bindings are names and globs; without, all that are
// ready. One of them at least trains and saves.
[[nodiscard]] Result<StudyOnMachine> look_up_cross(const CrossQuestion& question,
                                                   const std::vector<std::string>& bindings,
                                                   const PlanOptions& options,
                                                   const Machine& machine,
                                                   Progress& progress);

// Whether the binding can stand for a row: it trains and writes what it trained.
[[nodiscard]] bool trains_and_saves(const workers::Binding& binding);

}  // namespace crossbind::app
