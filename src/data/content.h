// A data set in memory, as a reader leaves it, and its way into one safetensors file: pixels become
// float32 in 0..1, everything else int64.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "tensor/safetensors.h"

namespace crossbind::data {

using Pixels = std::vector<uint8_t>;   // written as F32, value / 255
using Numbers = std::vector<int64_t>;  // written as I64

struct Field {
  std::string name;  // "<split>.<field>": "train.image"
  tensor::Shape shape;
  std::variant<Pixels, Numbers> values;
};

struct Content {
  std::vector<Field> fields;
  tensor::Metadata metadata;
};

// A labelled split of images. Every label is below the number of classes.
struct Images {
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
  Pixels pixels;  // sample by sample, each channel by channel
  Numbers labels;
};

// Adds "<split>.image" [N, C, H, W] and "<split>.label" [N].
void add_images(Content& content, const std::string& split, Images images);

// Writes the file and returns the SHA-256 of all its bytes. The file appears as a whole or not.
[[nodiscard]] Result<std::string> write_content(const Content& content,
                                                const std::filesystem::path& path,
                                                Progress& progress);

}  // namespace crossbind::data
