#include "app/check_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <system_error>
#include <thread>

#include "converse/parameters_file.h"
#include "data/dataset.h"
#include "judge/step_tensors.h"
#include "referee/rounding.h"
#include "referee/training.h"
#include "tasks/infer/targets.h"
#include "tensor/safetensors.h"

namespace crossbind::app {
namespace {

constexpr int64_t kRefereeBatch = 64;

bool begins_with(const std::filesystem::path& path, std::string_view magic) {
  std::ifstream file(path, std::ios::binary);
  std::string beginning(magic.size(), '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return file && beginning == magic;
}

Result<std::filesystem::path> with_targets(const tensor::SafetensorsFile& file,
                                           const model::Model& model,
                                           const std::filesystem::path& scratch) {
  tensor::TensorMap tensors;
  int64_t samples = 0;
  for (const auto& input : model.inputs) {
    const std::string name = "test." + input.name;
    CB_ASSIGN(const auto view, file.find(name));
    samples = view.shape.empty() ? 0 : view.shape.front();
    tensors.emplace(name, tensor::Tensor(view));
  }
  for (const auto& name : tasks::test_targets(model)) {
    tensors.emplace(name,
                    tensor::Tensor({samples}, std::vector<int64_t>(static_cast<size_t>(samples))));
  }
  auto path = scratch / "data.safetensors";
  CB_TRY(tensor::save_safetensors(path, tensors, {}));
  return path;
}

}  // namespace

Result<FileKind> kind_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto wrong = [&](const std::string& message) {
    return tl::unexpected(
        Error{ErrorKind::kInvalid,
              message,
              path.string(),
              "A model is a TorchScript file, the folder of a SavedModel, or a file of parameters "
              "that ends in .safetensors."});
  };
  if (std::filesystem::is_directory(path, error)) {
    if (!std::filesystem::exists(path / "saved_model.pb", error)) {
      return wrong("this folder is no SavedModel: it has no saved_model.pb");
    }
    return FileKind::kSavedModel;
  }
  if (!std::filesystem::exists(path, error)) {
    return wrong("there is no such file");
  }
  if (path.extension() == ".safetensors") {
    CB_TRY(tensor::SafetensorsFile::open(path));
    return FileKind::kParameters;
  }
  if (!begins_with(path, "PK\x03\x04")) {  // TorchScript is a ZIP archive
    return wrong("this is no TorchScript file: it does not begin like one");
  }
  return FileKind::kTorchScript;
}

Result<CheckData> find_data(const std::string& name,
                            const model::Model& model,
                            int64_t limit,
                            const std::filesystem::path& cache,
                            const std::filesystem::path& scratch) {
  const bool is_file = name.ends_with(".safetensors");
  CheckData data;
  if (!is_file) {
    CB_TRY(data::open_dataset(name, cache));  // says how to get it
  }
  data.file.path = is_file ? std::filesystem::absolute(name) : data::dataset_path(name, cache);
  CB_ASSIGN(auto file, tensor::SafetensorsFile::open(data.file.path));
  data.has_labels = std::ranges::all_of(tasks::test_targets(model), [&](const auto& target) {
    return file.find(target).has_value();
  });
  if (!data.has_labels) {
    CB_ASSIGN(data.file.path, with_targets(file, model, scratch));
    CB_ASSIGN(file, tensor::SafetensorsFile::open(data.file.path));
  }
  CB_ASSIGN(const auto split, referee::Split::open(file, "test", model, 0));
  data.file.test_samples = limit > 0 ? std::min(limit, split.size()) : split.size();
  return data;
}

Status save_referee_outputs(const model::Model& model,
                            const std::filesystem::path& parameters,
                            const protocol::DataFile& data,
                            const std::filesystem::path& path) {
  CB_ASSIGN(const auto values, tensor::load_safetensors(parameters));
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  referee::Network<double> network(model, {.threads = threads}, {});
  CB_TRY(network.load(values));
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(data.path));
  CB_ASSIGN(const auto split, referee::Split::open(file, "test", model, data.test_samples));
  CB_ASSIGN(auto writer,
            tensor::SafetensorsWriter::create(
                path,
                {{"outputs", tensor::DType::kF32, converse::outputs_shape(model, split.size())}},
                {}));
  for (int64_t begin = 0; begin < split.size(); begin += kRefereeBatch) {
    std::vector<int64_t> ids(static_cast<size_t>(std::min(kRefereeBatch, split.size() - begin)));
    std::iota(ids.begin(), ids.end(), begin);
    network.forward(split.gather<double>(ids).inputs, referee::Mode::kEvaluate);
    const auto rounded = referee::as_float32(network.output());
    CB_TRY(writer.append(*rounded.view().as<float>()));
  }
  return writer.finish();
}

}  // namespace crossbind::app
