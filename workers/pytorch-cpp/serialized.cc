#include "serialized.h"

#include <fmt/format.h>

#include <torch/csrc/jit/serialization/import.h>

#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "recurrent.h"
#include "tensor/tensor.h"

namespace crossbind::worker {
namespace {

using torch::jit::Module;

// Names that every module of Python has already ("type", "half", ...) were written with an
// underscore.
std::optional<Module> child_of(const Module& parent, const std::string& name) {
  for (const std::string& candidate : {name, name + "_"}) {
    for (const auto& child : parent.named_children()) {
      if (child.name == candidate) {
        return child.value;
      }
    }
  }
  return std::nullopt;
}

std::optional<torch::Tensor> find_tensor(Module module, const std::string& path) {
  size_t begin = 0;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    const auto child = child_of(module, path.substr(begin, dot - begin));
    if (!child) {
      return std::nullopt;
    }
    module = *child;
    begin = dot + 1;
  }
  const std::string last = path.substr(begin);
  if (!module.hasattr(last) || !module.attr(last).isTensor()) {
    return std::nullopt;
  }
  return module.attr(last).toTensor();
}

Status check_parameters(const Module& module, const model::Model& model) {
  for (const model::Node& node : model.nodes) {
    for (const size_t index : node.parameters) {
      const model::Parameter& parameter = model.parameters[index];
      // PyTorch counts the layers of a stack.
      const auto found = find_tensor(module, parameter.name + (is_recurrent(node) ? "_l0" : ""));
      if (!found) {
        return fail(ErrorKind::kCorrupt, "the model has no parameter '{}'", parameter.name);
      }
      if (found->sizes() != parameter.shape) {
        return fail(ErrorKind::kCorrupt,
                    "'{}' is {}, expected {}",
                    parameter.name,
                    tensor::to_string(found->sizes().vec()),
                    tensor::to_string(parameter.shape));
      }
    }
  }
  return {};
}

Result<Module> load(const std::filesystem::path& path, torch::Device device) {
  try {
    Module module = torch::jit::load(path.string(), device);
    module.eval();
    return module;
  } catch (const c10::Error& error) {
    return fail(ErrorKind::kCorrupt, "{}", error.what_without_backtrace());
  } catch (const std::exception& error) {  // the archive's reader has errors of its own
    return fail(ErrorKind::kCorrupt, "{}", error.what());
  }
}

}  // namespace

Result<Module> load_torchscript(const std::filesystem::path& path,
                                const model::Model& model,
                                torch::Device device) {
  auto module = load(path, device);
  const Status checked =
      module ? check_parameters(*module, model) : Status(tl::unexpected(module.error()));
  if (!checked) {
    return tl::unexpected(Error(checked.error()).at(path.string()));
  }
  return module;
}

}  // namespace crossbind::worker
