#include "converse/parameters_file.h"

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "tensor/safetensors.h"

namespace crossbind::converse {
namespace {

Status add_tensor(const tensor::SafetensorsFile& file,
                  const std::string& name,
                  const tensor::Shape& shape,
                  Sha256& hash) {
  CB_ASSIGN(const auto view, file.find(name));
  CB_ASSIGN(const auto values, file.values<float>(name));
  if (view.shape != shape) {
    return fail(ErrorKind::kCorrupt,
                "{}: '{}' is {}, expected {}",
                file.path().filename().string(),
                name,
                tensor::to_string(view.shape),
                tensor::to_string(shape));
  }
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
    return fail(
        ErrorKind::kCorrupt, "{}: '{}' is not finite", file.path().filename().string(), name);
  }
  hash.update(view.bytes);
  return {};
}

}  // namespace

Result<std::string> hash_parameters(const std::filesystem::path& path, const model::Model& model) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(path));
  Sha256 hash;
  for (const model::Parameter& parameter : model.parameters) {
    CB_TRY(add_tensor(file, parameter.name, parameter.shape, hash));
  }
  return hash.hex();
}

tensor::Shape outputs_shape(const model::Model& model, int64_t samples) {
  tensor::Shape shape = {samples};
  const auto& output = model.nodes.back().output;
  shape.insert(shape.end(), output.begin(), output.end());
  return shape;
}

Result<std::string> hash_outputs(const std::filesystem::path& path,
                                 const model::Model& model,
                                 int64_t samples) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(path));
  Sha256 hash;
  CB_TRY(add_tensor(file, "outputs", outputs_shape(model, samples), hash));
  return hash.hex();
}

}  // namespace crossbind::converse
