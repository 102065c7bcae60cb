// Small inputs for the tests of this folder, made by the libraries that read them elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/dataset.h"

namespace crossbind::data::fixtures {

using Files = std::map<std::string, std::string>;  // name -> content

[[nodiscard]] std::span<const std::byte> bytes_of(const std::string& text);

// Pixel i of the file is i modulo 256.
[[nodiscard]] std::string idx_images(uint32_t count, uint32_t rows, uint32_t columns);
[[nodiscard]] std::string idx_labels(const std::vector<uint8_t>& labels);
[[nodiscard]] std::string cifar_batch(const std::vector<uint8_t>& labels);
// One colour all over; quality 100, so that flat colours survive within a step or two.
[[nodiscard]] std::string jpeg(int width, int height, uint8_t red, uint8_t green, uint8_t blue);

[[nodiscard]] std::string gzipped(const std::string& content);

enum class Packing { kTar, kTarGz, kTarXz, kZip, kDebian, kGzip };
[[nodiscard]] std::string archive(const Files& files, Packing packing);

void write_tree(const std::filesystem::path& root, const Files& files);

// A tiny MNIST: 4 training and 2 test images of 28x28, and the description that expects it.
[[nodiscard]] DatasetInfo tiny_mnist();
[[nodiscard]] Files tiny_mnist_files();

}  // namespace crossbind::data::fixtures
