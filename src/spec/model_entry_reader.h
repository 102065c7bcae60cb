// [training] and [[models]] of a study. What an entry does not say it takes from [training], and
// then from the model's own file.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "config/table_reader.h"
#include "spec/study.h"

namespace crossbind::spec {

struct TrainingKeys {
  std::optional<int64_t> epochs;
  std::optional<int64_t> batch_size;
  std::optional<trial::TrainingAccuracy> training_accuracy;
  std::optional<trial::Evaluate> evaluate;
  std::optional<bool> shuffle;
  std::optional<model::Optimizer> optimizer;
};

class ModelEntryReader {
 public:
  // All must outlive the reader. Without training the keys that only concern it are errors.
  ModelEntryReader(const config::Document& document, const FindModel& find_model, bool trains)
      : document_(document),
        find_model_(find_model),
        trains_(trains) {}

  [[nodiscard]] Result<TrainingKeys> training(const toml::table& table) const;
  [[nodiscard]] Result<std::vector<ModelEntry>> entries(const toml::array& array,
                                                        const TrainingKeys& defaults) const;

 private:
  [[nodiscard]] Result<TrainingKeys> keys(const toml::table& table,
                                          config::TableReader& reader) const;
  [[nodiscard]] Result<ModelEntry> entry(const toml::table& table,
                                         const TrainingKeys& defaults) const;
  [[nodiscard]] Status read_own(const toml::table& table,
                                config::TableReader& reader,
                                ModelEntry& entry) const;
  [[nodiscard]] Status limit_to_steps(const toml::table& table, ModelEntry& entry) const;
  [[nodiscard]] Status check_data(const toml::table& table, const ModelEntry& entry) const;

  const config::Document& document_;
  const FindModel& find_model_;
  bool trains_;
};

}  // namespace crossbind::spec
