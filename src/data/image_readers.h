// From a source to images: IDX files, CIFAR-10's binary batches, and a tree of JPEGs.
#pragma once

#include "base/progress.h"
#include "data/content.h"
#include "data/dataset.h"
#include "data/source.h"

namespace crossbind::data {

// A converted source: what to write, and the SHA-256 of where it came from.
struct Converted {
  Content content;
  std::string source_sha256;
};

// {train,t10k}-{images-idx3,labels-idx1}-ubyte, anywhere in the source, plain or .gz.
[[nodiscard]] Result<Converted> read_idx(const DatasetInfo& info,
                                         const Source& source,
                                         Progress& progress);

// data_batch_{1..5}.bin and test_batch.bin. Keeps the order of the batches.
[[nodiscard]] Result<Converted> read_cifar_binary(const DatasetInfo& info,
                                                  const Source& source,
                                                  Progress& progress);

// {train,test}/CLASS/NAME.jpg with CIFAR-10's ten classes in their official order (airplane = 0).
// Samples are sorted by class and name, then shuffled with a fixed seed: neither the archive's
// order nor the class shows in the order of the samples.
[[nodiscard]] Result<Converted> read_image_tree(const DatasetInfo& info,
                                                const Source& source,
                                                Progress& progress);

// The order that gives samples sorted by class and name their place: a fixed shuffle for each
// split.
[[nodiscard]] std::vector<int64_t> fixed_order(const std::string& split, size_t samples);

}  // namespace crossbind::data
