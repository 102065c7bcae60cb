// The files that workers are handed: initial weights and batch orders, made once for all bindings,
// and the data set. Safe to use from several threads.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "base/error.h"
#include "protocol/messages.h"
#include "spec/study.h"

namespace crossbind::run {

class Materials {
 public:
  // directory: an existing one, for the files that end with the run.
  Materials(std::filesystem::path directory, std::filesystem::path cache)
      : directory_(std::move(directory)),
        cache_(std::move(cache)) {}

  [[nodiscard]] Result<std::filesystem::path> initial_weights(const spec::ModelEntry& entry,
                                                              uint32_t seed);
  // For the first `samples` training samples.
  [[nodiscard]] Result<std::filesystem::path> batch_order(const spec::ModelEntry& entry,
                                                          uint32_t seed,
                                                          int64_t samples);
  // The data set in the cache with the numbers of samples that the entry uses.
  [[nodiscard]] Result<protocol::DataFile> data(const spec::ModelEntry& entry);

  [[nodiscard]] const std::filesystem::path& scratch() const { return directory_; }

  // Where the user puts parameters for inference, by the name that studies have for them.
  [[nodiscard]] std::filesystem::path supplied(const std::string& name) const;

  // Where the parameters that a training ended with are kept for inference.
  [[nodiscard]] std::filesystem::path trained(const std::string& identity) const;
  // And the outputs that the binding which trained them has for the test set.
  [[nodiscard]] std::filesystem::path trained_outputs(const std::string& identity) const;

 private:
  std::filesystem::path directory_;
  std::filesystem::path cache_;
  std::mutex mutex_;
  std::map<std::string, protocol::DataFile> data_;  // by entry
};

}  // namespace crossbind::run
