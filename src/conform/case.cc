#include "conform/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/file.h"
#include "model/losses.h"
#include "model/model_toml.h"
#include "tensor/safetensors.h"
#include "trial/binding_name.h"

namespace crossbind::conform {
namespace {

using referee::Array;
using tensor::Tensor;
using tensor::TensorMap;

constexpr const char* kModelFile = "model.toml";
constexpr const char* kWeightsFile = "weights.safetensors";
constexpr const char* kBatchFile = "batch.safetensors";

Result<const Tensor*> find(const TensorMap& tensors,
                           const std::string& name,
                           const tensor::Shape& shape,
                           tensor::DType type) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) {
    return fail(ErrorKind::kCorrupt, "there is no tensor '{}'", name);
  }
  const Tensor& tensor = found->second;
  if (tensor.shape() != shape || tensor.dtype() != type) {
    return fail(ErrorKind::kCorrupt,
                "tensor '{}' is {} of {}, expected {} of {}",
                name,
                tensor::to_string(tensor.shape()),
                tensor::name_of(tensor.dtype()),
                tensor::to_string(shape),
                tensor::name_of(type));
  }
  return &tensor;
}

// Integers from 0 to below `entries`.
Result<std::vector<int64_t>> integers_of(const TensorMap& tensors,
                                         const std::string& name,
                                         const tensor::Shape& shape,
                                         int64_t entries) {
  CB_ASSIGN(const auto* tensor, find(tensors, name, shape, tensor::DType::kI64));
  const auto values = *tensor->view().as<int64_t>();
  if (const auto off = std::ranges::find_if(
          values, [entries](int64_t value) { return value < 0 || value >= entries; });
      off != values.end()) {
    return fail(
        ErrorKind::kCorrupt, "tensor '{}' holds {}, expected 0 to {}", name, *off, entries - 1);
  }
  return std::vector<int64_t>(values.begin(), values.end());
}

Result<Array<double>> input_of(const TensorMap& batch, const model::Input& input, int64_t samples) {
  tensor::Shape shape = {samples};
  shape.insert(shape.end(), input.shape.begin(), input.shape.end());
  Array<double> array(shape);
  if (input.is_integer()) {
    CB_ASSIGN(const auto values, integers_of(batch, input.name, shape, input.entries));
    std::ranges::transform(
        values, array.values.begin(), [](int64_t value) { return static_cast<double>(value); });
    return array;
  }
  CB_ASSIGN(const auto* tensor, find(batch, input.name, shape, tensor::DType::kF32));
  std::ranges::copy(*tensor->view().as<float>(), array.values.begin());
  return array;
}

Result<referee::Targets> targets_of(const Case& subject) {
  const tensor::Shape shape = {subject.model.batch};
  const int64_t classes = model::class_count(subject.model);
  const auto names = model::describe(subject.model.loss).targets;
  referee::Targets targets;
  for (size_t i = 0; i < names.size(); ++i) {
    CB_ASSIGN(*targets.columns().at(i),
              integers_of(subject.batch, std::string(names[i]), shape, classes));
  }
  return targets;
}

std::string readme(const Case& subject,
                   const std::string& folder,
                   const std::string& binding,
                   const Divergence& divergence) {
  std::string text = fmt::format(
      "# {0} diverges in {1}\n\n"
      "In {2} step {3} the tensor `{4}` ({5}) is off by {6:.3g}, where a correct float32\n"
      "implementation stays within {7:.3g}.\n",
      binding,
      divergence.layer.empty() ? "the " + std::string(name_in(kKinds, divergence.kind))
                               : "layer '" + divergence.layer + "'",
      subject.trains ? "training" : "evaluation",
      subject.number,
      divergence.tensor,
      name_in(kKinds, divergence.kind),
      divergence.error,
      divergence.bound);
  text += divergence.cause.empty() ? "\nThe cause is unknown.\n"
                                   : fmt::format("\nWhat explains it: {}.\n", divergence.cause);
  text += fmt::format(
      "\nTo see it again:\n\n    crossbind conform {}\n\n"
      "| file | |\n|---|---|\n"
      "| `{}` | the model: {} layers, a batch of {} |\n"
      "| `{}` | parameters and optimizer state before the step |\n"
      "| `{}` | its inputs and targets |\n",
      // A worker that is no binding's has no such name, and is started by hand.
      !trial::BindingName(binding).is_whole() ? fmt::format("--replay {} -- PROGRAM", folder)
                                              : fmt::format("{} --replay {}", binding, folder),
      kModelFile,
      subject.model.nodes.size(),
      subject.model.batch,
      kWeightsFile,
      kBatchFile);
  return text;
}

Result<int64_t> step_number(const tensor::Metadata& metadata) {
  const auto found = metadata.find("step");
  const std::string text = found == metadata.end() ? "" : found->second;
  int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < 1) {
    return fail(ErrorKind::kCorrupt, "its metadata do not say which 'step' it is, from 1");
  }
  return number;
}

// Checks all that replaying relies on.
Status check(const Case& subject) {
  for (const auto& parameter : subject.model.parameters) {
    CB_TRY(find(subject.state, parameter.name, parameter.shape, tensor::DType::kF32));
    for (const char* moment : {".state.m", ".state.v"}) {
      if (subject.state.contains(parameter.name + moment)) {
        CB_TRY(find(subject.state, parameter.name + moment, parameter.shape, tensor::DType::kF32));
      }
    }
  }
  return start_of(subject).map([](const auto&) {});
}

}  // namespace

Result<Case> case_of(const model::Model& model,
                     const judge::RecordedStep& step,
                     const std::filesystem::path& batch) {
  Case subject{model, step.state, {}, step.trains, step.number};
  subject.model.batch = step.batch.inputs.front().batch();
  CB_ASSIGN(subject.batch, tensor::load_safetensors(batch));
  return subject;
}

Result<judge::RecordedStep> start_of(const Case& subject) {
  judge::RecordedStep step;
  step.trains = subject.trains;
  step.number = subject.number;
  step.state = subject.state;
  for (const auto& input : subject.model.inputs) {
    CB_ASSIGN(auto array, input_of(subject.batch, input, subject.model.batch));
    step.batch.inputs.push_back(std::move(array));
  }
  CB_ASSIGN(step.batch.targets, targets_of(subject));
  return step;
}

Status write_repro(const std::filesystem::path& folder,
                   const Case& subject,
                   const std::string& binding,
                   const Divergence& divergence) {
  std::error_code code;
  if (std::filesystem::exists(folder, code)) {
    return tl::unexpected(Error{ErrorKind::kInvalid,
                                "the folder for the repro is there already",
                                folder.string(),
                                "Name one that is not."});
  }
  auto whole = std::filesystem::absolute(folder).lexically_normal();
  if (!whole.has_filename()) {
    whole = whole.parent_path();  // it was written with a slash behind
  }
  CB_ASSIGN(const auto temporary, TemporaryDirectory::create_in(whole.parent_path()));
  const auto made = temporary.path() / "repro";
  std::filesystem::create_directory(made, code);
  CB_TRY(write_file(made / kModelFile, model::model_toml(subject.model)));
  CB_TRY(tensor::save_safetensors(made / kWeightsFile, subject.state, {}));
  CB_TRY(tensor::save_safetensors(
      made / kBatchFile,
      subject.batch,
      {{"mode", subject.trains ? "train" : "eval"}, {"step", std::to_string(subject.number)}}));
  CB_TRY(write_file(made / "README.md", readme(subject, folder.string(), binding, divergence)));
  std::filesystem::rename(made, whole, code);
  if (code) {
    return fail(ErrorKind::kIo, "cannot make '{}': {}", folder.string(), code.message());
  }
  return {};
}

Result<Case> read_repro(const std::filesystem::path& folder) {
  Case subject;
  CB_ASSIGN(subject.model, model::load_model(folder / kModelFile, model::Geometry::kFull));
  CB_ASSIGN(subject.state, tensor::load_safetensors(folder / kWeightsFile));
  CB_ASSIGN(const auto batch, tensor::SafetensorsFile::open(folder / kBatchFile));
  for (const auto& info : batch.tensors()) {
    CB_ASSIGN(const auto view, batch.find(info.name));
    subject.batch.emplace(info.name, Tensor(view));
  }
  auto number = step_number(batch.metadata());
  if (!number) {
    return tl::unexpected(std::move(number).error().at((folder / kBatchFile).string()));
  }
  subject.number = *number;
  const auto mode = batch.metadata().find("mode");
  subject.trains = mode == batch.metadata().end() || mode->second != "eval";
  if (auto checked = check(subject); !checked) {
    return tl::unexpected(std::move(checked).error().at(folder.string()));
  }
  return subject;
}

}  // namespace crossbind::conform
