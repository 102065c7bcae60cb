// A model: a checked graph of typed layers with every shape and parameter known. Values only; it
// is made by load_model() or parse_model() and never changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/layer.h"
#include "model/training.h"
#include "tensor/tensor.h"

namespace crossbind::model {

using tensor::Shape;

struct Input {
  std::string name;     // "image", "tokens", ...: the field of the data set that feeds it
  Shape shape;          // of one sample
  int64_t entries = 0;  // integers below this; 0 for float inputs

  [[nodiscard]] bool is_integer() const { return entries > 0; }
};

// Where a layer's input comes from: a model input or an earlier layer.
struct Source {
  bool is_input = false;
  size_t index = 0;
  bool operator==(const Source&) const = default;
};

struct Node {
  std::string name;  // dots nest: "encoder.0.attention"
  Layer layer;
  std::vector<Source> inputs;
  Shape output;                    // of one sample
  std::vector<size_t> parameters;  // indices into Model::parameters
};

enum class Role {
  kWeight,
  kBias,
  kScale,            // of a norm
  kShift,            // of a norm
  kRunningMean,      // a buffer: not trained, not touched by the optimizer
  kRunningVariance,  // a buffer as well
};

[[nodiscard]] constexpr bool is_trainable(Role role) {
  return role != Role::kRunningMean && role != Role::kRunningVariance;
}

enum class Distribution { kZeros, kOnes, kUniform, kNormal };

// How initial values are drawn: uniform in [-amount, amount], or normal with this deviation.
// Rows [forget_begin, forget_end) get forget_value instead (an LSTM's forget-gate bias; the padding
// row of an embedding).
struct InitialValues {
  Distribution distribution = Distribution::kZeros;
  double amount = 0;
  int64_t forget_begin = 0;
  int64_t forget_end = 0;
  double forget_value = 0;
};

struct Parameter {
  std::string name;  // "<layer>.weight", "<layer>.bias_ih", "<layer>.running_mean", ...
  Shape shape;       // canonical layout
  Role role = Role::kWeight;
  InitialValues initial;
};

struct Model {
  std::string id;
  std::string title;
  std::string dataset;
  Loss loss = Loss::kCrossEntropy;
  Optimizer optimizer;
  int64_t batch = 0;
  std::vector<Input> inputs;
  std::vector<Node> nodes;  // in order of execution; the last one's output is the model's
  std::vector<Parameter> parameters;

  [[nodiscard]] int64_t parameter_count() const;  // running statistics included
  [[nodiscard]] int64_t trainable_count() const;
  [[nodiscard]] const Node* find(std::string_view name) const;
};

// The size a model is built at: as written, or the narrower [conform] geometry of the same layers.
enum class Geometry { kFull, kConform };

// Reads a model file. Errors name file, line, key and what was expected.
[[nodiscard]] Result<Model> load_model(const std::filesystem::path& path, Geometry geometry);
[[nodiscard]] Result<Model> parse_model(std::string_view toml,
                                        const std::string& place,
                                        Geometry geometry);

// The files of the models that come with crossbind, sorted by id.
[[nodiscard]] Result<std::vector<std::filesystem::path>> list_models(
    const std::filesystem::path& folder);

// A model by id from the folder of ready models, or, when the name ends in ".toml", a file.
[[nodiscard]] Result<Model> find_model(const std::string& name,
                                       const std::filesystem::path& folder,
                                       Geometry geometry);

}  // namespace crossbind::model
