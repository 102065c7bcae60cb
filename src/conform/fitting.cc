#include "conform/fitting.h"

#include <algorithm>

#include "model/initial_weights.h"
#include "model/losses.h"
#include "model/model_toml.h"

namespace crossbind::conform {
namespace {

using tensor::Shape;
using tensor::Tensor;
using tensor::TensorMap;

constexpr uint32_t kSeed = 1;  // of parameters that only the smaller model has

// Element by element, indices modulo the old dimensions. The ranks must be equal.
Tensor resized(const Tensor& old, const Shape& shape) {
  const auto view = old.view();
  const size_t width = tensor::size_of(view.dtype);
  const auto count = static_cast<size_t>(referee::count_of(shape));
  std::vector<std::byte> bytes;
  bytes.reserve(count * width);
  std::vector<int64_t> index(shape.size());
  for (size_t i = 0; i < count; ++i) {
    int64_t from = 0;
    for (size_t k = 0; k < shape.size(); ++k) {
      from = from * view.shape[k] + index[k] % view.shape[k];
    }
    const auto element = view.bytes.subspan(static_cast<size_t>(from) * width, width);
    bytes.insert(bytes.end(), element.begin(), element.end());
    for (size_t k = shape.size(); k-- > 0 && ++index[k] == shape[k];) {
      index[k] = 0;
    }
  }
  return Tensor(tensor::TensorView{view.dtype, shape, bytes});
}

Tensor modulo(const Tensor& tensor, int64_t entries) {
  const auto values = *tensor.view().as<int64_t>();
  std::vector<int64_t> below(values.begin(), values.end());
  for (int64_t& value : below) {
    value %= entries;
  }
  return {tensor.shape(), below};
}

TensorMap fitted_state(const TensorMap& old, const model::Model& model) {
  TensorMap state = model::initial_weights(model, kSeed);
  for (const auto& parameter : model.parameters) {
    for (const char* suffix : {"", ".state.m", ".state.v"}) {
      const auto found = old.find(parameter.name + suffix);
      if (found != old.end() && found->second.shape().size() == parameter.shape.size()) {
        state.insert_or_assign(parameter.name + suffix, resized(found->second, parameter.shape));
      }
    }
  }
  return state;
}

Result<TensorMap> fitted_batch(const Case& subject, const model::Model& model) {
  const TensorMap& old = subject.batch;
  TensorMap batch;
  for (const auto& input : model.inputs) {
    Shape shape = {model.batch};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    const auto found = old.find(input.name);
    if (found == old.end() || found->second.shape().size() != shape.size()) {
      return fail(ErrorKind::kInvalid, "the batch has no '{}' of that rank", input.name);
    }
    auto tensor = resized(found->second, shape);
    batch.emplace(input.name, input.is_integer() ? modulo(tensor, input.entries) : tensor);
  }
  // A model whose loss became another keeps its targets: the starts of spans are labels then.
  const auto targets = model::describe(model.loss).targets;
  const auto old_targets = model::describe(subject.model.loss).targets;
  for (size_t i = 0; i < std::min(targets.size(), old_targets.size()); ++i) {
    if (const auto found = old.find(std::string(old_targets[i])); found != old.end()) {
      batch.emplace(targets[i],
                    modulo(resized(found->second, {model.batch}), model::class_count(model)));
    }
  }
  return batch;
}

}  // namespace

Result<Case> fitted(const Case& subject, const model::Model& model) {
  Case result;
  CB_ASSIGN(
      result.model,
      model::parse_model(model::model_toml(model), "a reduced model", model::Geometry::kFull));
  result.state = fitted_state(subject.state, result.model);
  CB_ASSIGN(result.batch, fitted_batch(subject, result.model));
  result.trains = subject.trains;
  result.number = subject.number;
  return result;
}

}  // namespace crossbind::conform
