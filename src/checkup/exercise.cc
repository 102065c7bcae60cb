#include "checkup/exercise.h"

#include <nlohmann/json.hpp>

#include <numeric>

#include "data/batch_order.h"
#include "model/graph_json.h"
#include "model/initial_weights.h"
#include "tensor/philox.h"

namespace crossbind::checkup {
namespace {

using tensor::PhiloxStream;
using tensor::Tensor;

constexpr uint32_t kSeed = 1;

tensor::Shape batched(int64_t samples, const tensor::Shape& sample) {
  tensor::Shape shape = {samples};
  shape.insert(shape.end(), sample.begin(), sample.end());
  return shape;
}

Tensor random_integers(tensor::Shape shape, int64_t bound, PhiloxStream& stream) {
  std::vector<int64_t> values(static_cast<size_t>(reference::count_of(shape)));
  std::ranges::generate(values, [&] { return stream.below(static_cast<uint32_t>(bound)); });
  return {std::move(shape), values};
}

Tensor random_floats(tensor::Shape shape, PhiloxStream& stream) {
  std::vector<float> values(static_cast<size_t>(reference::count_of(shape)));
  std::ranges::generate(values, [&] { return static_cast<float>(stream.uniform()); });
  return {std::move(shape), values};
}

void add_split(const model::Model& model,
               const std::string& split,
               int64_t samples,
               PhiloxStream& stream,
               tensor::TensorMap& tensors) {
  for (const auto& input : model.inputs) {
    tensor::Shape shape = batched(samples, input.shape);
    tensors.emplace(split + "." + input.name,
                    input.is_integer() ? random_integers(std::move(shape), input.entries, stream)
                                       : random_floats(std::move(shape), stream));
  }
  const bool is_binary = model.loss == model::Loss::kBinaryCrossEntropy;
  const bool is_span = model.loss == model::Loss::kSpanCrossEntropy;
  const int64_t classes = is_binary ? 2 : model.nodes.back().output.front();
  for (const char* target : {is_span ? "start" : "label", is_span ? "end" : ""}) {
    if (*target != '\0') {
      tensors.emplace(split + "." + target, random_integers({samples}, classes, stream));
    }
  }
}

reference::BatchOrder order_of(int64_t epoch, int64_t samples, int64_t batch_size) {
  return data::batch_order(kSeed, static_cast<uint32_t>(epoch), samples, batch_size, true);
}

Status save_order(const std::filesystem::path& path,
                  int64_t epochs,
                  int64_t samples,
                  int64_t batch_size) {
  std::vector<int64_t> ids;
  for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
    for (const auto& batch : order_of(epoch, samples, batch_size)) {
      ids.insert(ids.end(), batch.begin(), batch.end());
    }
  }
  tensor::TensorMap tensors;
  tensors.emplace("order", Tensor({epochs, samples}, ids));
  return tensor::save_safetensors(path, tensors, {});
}

}  // namespace

Exercise::Exercise(model::Model model,
                   trial::Settings settings,
                   std::filesystem::path folder,
                   const Samples& samples,
                   tensor::SafetensorsFile data)
    : model_(std::move(model)),
      settings_(std::move(settings)),
      folder_(std::move(folder)),
      samples_(samples),
      data_(std::move(data)) {
  for (int64_t epoch = 1; epoch <= settings_.epochs; ++epoch) {
    order_.push_back(order_of(epoch, samples.train, settings_.batch_size));
  }
}

Result<Exercise> Exercise::make(model::Model model,
                                trial::Settings settings,
                                const std::filesystem::path& folder,
                                const Samples& samples) {
  tensor::TensorMap tensors;
  PhiloxStream stream(kSeed, tensor::Purpose::kTest, 0);
  add_split(model, "train", samples.train, stream, tensors);
  add_split(model, "test", samples.test, stream, tensors);
  CB_TRY(tensor::save_safetensors(folder / "data.safetensors", tensors, {}));
  CB_TRY(model::save_initial_weights(folder / "weights.safetensors", model, kSeed, {}));
  const int64_t batch = settings.batch_size;
  CB_TRY(save_order(folder / "order.safetensors", settings.epochs, samples.train, batch));
  CB_TRY(save_order(folder / "long-order.safetensors", kManyEpochs, samples.train, batch));
  CB_ASSIGN(auto data, tensor::SafetensorsFile::open(folder / "data.safetensors"));
  return Exercise(std::move(model), std::move(settings), folder, samples, std::move(data));
}

protocol::Prepare Exercise::prepare(const trial::Settings& settings) const {
  protocol::Prepare prepare;
  prepare.graph = model::canonical_graph(model_).dump();
  if (serialized_) {
    prepare.serialized = serialized_;
  } else {
    prepare.weights = file("weights.safetensors");
  }
  prepare.data = {file("data.safetensors"), samples_.train, samples_.test};
  prepare.order = file("order.safetensors");
  prepare.settings = settings;
  prepare.scratch = file("scratch");
  std::error_code ignored;
  std::filesystem::remove_all(prepare.scratch, ignored);  // the worker is promised an empty one
  std::filesystem::create_directories(prepare.scratch, ignored);
  return prepare;
}

protocol::Prepare Exercise::prepare_long() const {
  protocol::Prepare prepare = this->prepare();
  prepare.settings.epochs = kManyEpochs;
  prepare.settings.evaluate = trial::Evaluate::kLast;
  prepare.order = file("long-order.safetensors");
  return prepare;
}

Result<Expectation> expectation_of(const Exercise& exercise) {
  const auto& model = exercise.model();
  CB_ASSIGN(const auto training,
            reference::Split::open(exercise.data(), "train", model, exercise.samples().train));
  CB_ASSIGN(const auto testing,
            reference::Split::open(exercise.data(), "test", model, exercise.samples().test));
  CB_ASSIGN(const auto weights, tensor::load_safetensors(exercise.file("weights.safetensors")));
  reference::Network<double> network(model, {}, {});
  CB_TRY(network.load(weights));
  Expectation expectation;
  std::vector<int64_t> ids(static_cast<size_t>(exercise.samples().test));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  network.forward(testing.gather<double>(ids).inputs, reference::Mode::kEvaluate);
  expectation.outputs = network.output().values;
  for (const auto& order : exercise.order()) {
    const auto epoch = reference::train_epoch(network, training, order, {});
    expectation.epochs.push_back({epoch.loss,
                                  epoch.accuracy,
                                  reference::evaluate(network, training),
                                  reference::evaluate(network, testing)});
  }
  return expectation;
}

}  // namespace crossbind::checkup
