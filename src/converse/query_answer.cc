#include "converse/query_answer.h"

#include "converse/parameters_file.h"
#include "tensor/safetensors.h"

namespace crossbind::converse {
namespace {

Status check(const tensor::TensorMap& tensors,
             const std::string& name,
             const tensor::Shape& expected) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) {
    return fail(ErrorKind::kInvalid, "expected the tensor '{}' in the answer, came none", name);
  }
  if (found->second.shape() != expected) {
    return fail(ErrorKind::kInvalid,
                "expected '{}' as {}, came {}",
                name,
                tensor::to_string(expected),
                tensor::to_string(found->second.shape()));
  }
  if (const auto values = found->second.view().as<float>(); !values) {
    return fail(ErrorKind::kInvalid, "'{}' {}", name, values.error().message);
  }
  return {};
}

}  // namespace

Result<tensor::TensorMap> read_query_answer(const std::filesystem::path& path,
                                            const model::Model& model,
                                            int64_t samples,
                                            bool with_gradients) {
  CB_ASSIGN(auto tensors, tensor::load_safetensors(path));
  CB_TRY(check(tensors, "outputs", outputs_shape(model, samples)));
  for (const auto& input : model.inputs) {
    if (with_gradients && !input.is_integer()) {
      tensor::Shape shape = {samples};
      shape.insert(shape.end(), input.shape.begin(), input.shape.end());
      CB_TRY(check(tensors, input.name + ".grad", shape));
    }
  }
  return tensors;
}

}  // namespace crossbind::converse
