// The data sets crossbind knows, and the converted ones in the cache. Every one is a safetensors
// file, memory-mapped, with tensors named "<split>.<field>"; splits are "train" and "test".
// Making them is get.h's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/safetensors.h"

namespace crossbind::data {

enum class Kind { kGlyphs, kIdx, kCifarBinary, kImageTree, kReviews, kQuestions };

struct DatasetInfo {
  std::string id;
  std::string title;
  Kind kind = Kind::kIdx;
  int64_t classes = 0;  // 0: the labels are positions, not classes
  tensor::Shape input;  // of one sample
  int64_t train = 0;    // samples; 0: depends on the source
  int64_t test = 0;
  std::string expects;                  // what `get --from` wants
  std::string installed = {};           // where a package of the system puts it; empty: none does
  std::vector<std::string> fetch = {};  // a command that puts it into the directory it runs in

  // Can be had without a file from the user.
  [[nodiscard]] bool is_obtainable() const { return kind == Kind::kGlyphs || !fetch.empty(); }
};

[[nodiscard]] const std::vector<DatasetInfo>& known_datasets();

// Also knows generated sets of another size by their cache name ("glyphs-2000-500"). The error of
// an unknown name suggests the nearest.
[[nodiscard]] Result<DatasetInfo> find_dataset(const std::string& id);

// The command that makes it: "crossbind dataset get mnist".
[[nodiscard]] std::string get_command(const DatasetInfo& info);

// <cache>/datasets/<id>.safetensors, and <id>.json beside it: the manifest.
[[nodiscard]] std::filesystem::path dataset_path(const std::string& id,
                                                 const std::filesystem::path& cache);
[[nodiscard]] std::filesystem::path manifest_path(const std::string& id,
                                                  const std::filesystem::path& cache);

// All known data sets, and the generated ones of other sizes that are in the cache.
[[nodiscard]] std::vector<DatasetInfo> datasets_of(const std::filesystem::path& cache);

enum class State { kReady, kAbsent, kCorrupt };
enum class Depth { kSizes, kChecksum };

struct Inspection {
  State state = State::kAbsent;
  std::string reason;  // why it is corrupt
  uint64_t size = 0;   // bytes; 0 unless ready
  std::string sha256;
};

// Compares the cache with the manifest: sizes and structure, and the checksum when asked. A data
// file without a manifest counts as absent.
[[nodiscard]] Inspection inspect(const DatasetInfo& info,
                                 const std::filesystem::path& cache,
                                 Depth depth);

// A converted data set. The views it hands out are valid as long as it is.
class Dataset {
 public:
  Dataset(DatasetInfo info, tensor::SafetensorsFile file)
      : info_(std::move(info)),
        file_(std::move(file)) {}

  [[nodiscard]] const DatasetInfo& info() const { return info_; }
  [[nodiscard]] const tensor::SafetensorsFile& file() const { return file_; }
  [[nodiscard]] Result<int64_t> samples(const std::string& split) const;

 private:
  DatasetInfo info_;
  tensor::SafetensorsFile file_;
};

// Opens a data set in the cache without hashing it: sizes are checked against its manifest. The
// error of an absent one says how to get it.
[[nodiscard]] Result<Dataset> open_dataset(const std::string& id,
                                           const std::filesystem::path& cache);

}  // namespace crossbind::data
