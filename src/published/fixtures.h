// Small files of every published format, made by hand.
#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace crossbind::published {

// Five lines of the same.
[[nodiscard]] std::string five(const std::string& line);

// Inference files: every model takes `seconds` and is flagged true, with this accuracy.
[[nodiscard]] std::string python_inference(double seconds, double accuracy, double expected);
[[nodiscard]] std::string csharp_inference(double seconds, double accuracy);
[[nodiscard]] std::string rust_inference(double seconds, double accuracy);
[[nodiscard]] std::string javascript_inference(double seconds);

// A ROC file of two classes, each with the area 0.5, whose evaluation says `accuracy` twice.
[[nodiscard]] std::string roc(double accuracy);

// Makes the folders and the file.
void put(const std::filesystem::path& path, const std::string& content);

// A tree with model "tiny" of TensorFlow: Python trains and infers, JavaScript trains, Rust infers.
void put_tiny_study(const std::filesystem::path& root);

}  // namespace crossbind::published
