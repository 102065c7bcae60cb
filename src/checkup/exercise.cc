#include "checkup/exercise.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numeric>

#include "data/batch_order.h"
#include "model/graph_json.h"
#include "model/initial_weights.h"
#include "model/losses.h"
#include "tensor/philox.h"

namespace crossbind::checkup {
namespace {

using tensor::PhiloxStream;
using tensor::Tensor;

tensor::Shape batched(int64_t samples, const tensor::Shape& sample) {
  tensor::Shape shape = {samples};
  shape.insert(shape.end(), sample.begin(), sample.end());
  return shape;
}

Tensor random_integers(tensor::Shape shape, int64_t bound, PhiloxStream& stream) {
  std::vector<int64_t> values(static_cast<size_t>(referee::count_of(shape)));
  std::ranges::generate(values, [&] { return stream.below(static_cast<uint32_t>(bound)); });
  return {std::move(shape), values};
}

Tensor random_floats(tensor::Shape shape, PhiloxStream& stream) {
  std::vector<float> values(static_cast<size_t>(referee::count_of(shape)));
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
  for (const std::string_view target : model::describe(model.loss).targets) {
    tensors.emplace(fmt::format("{}.{}", split, target),
                    random_integers({samples}, model::class_count(model), stream));
  }
}

referee::BatchOrder order_of(const trial::Settings& settings, int64_t samples, uint32_t epoch) {
  return data::batch_order(settings.seed, epoch, samples, settings.batch_size, true);
}

Status save_orders(const std::filesystem::path& path,
                   const trial::Settings& settings,
                   int64_t samples) {
  return data::save_orders(path, settings.epochs, samples, [&](uint32_t epoch) {
    return order_of(settings, samples, epoch);
  });
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
    order_.push_back(order_of(settings_, samples.train, static_cast<uint32_t>(epoch)));
  }
}

Result<Exercise> Exercise::make(model::Model model,
                                trial::Settings settings,
                                const std::filesystem::path& folder,
                                const Samples& samples) {
  tensor::TensorMap tensors;
  PhiloxStream stream(settings.seed, tensor::Purpose::kTest, 0);
  add_split(model, "train", samples.train, stream, tensors);
  add_split(model, "test", samples.test, stream, tensors);
  CB_TRY(tensor::save_safetensors(folder / "data.safetensors", tensors, {}));
  CB_TRY(model::save_initial_weights(folder / "weights.safetensors", model, settings.seed, {}));
  CB_TRY(save_orders(folder / "order.safetensors", settings, samples.train));
  CB_ASSIGN(auto data, tensor::SafetensorsFile::open(folder / "data.safetensors"));
  return Exercise(std::move(model), std::move(settings), folder, samples, std::move(data));
}

protocol::Prepare Exercise::prepare(const trial::Settings& settings) const {
  const auto scratch = file("scratch");
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);  // the worker is promised an empty one
  std::filesystem::create_directories(scratch, ignored);
  return prepare(settings, scratch);
}

protocol::Prepare Exercise::prepare(const trial::Settings& settings,
                                    const std::filesystem::path& scratch) const {
  protocol::Prepare prepare;
  prepare.graph = model::canonical_graph(model_).dump();
  if (serialized_) {
    prepare.serialized = serialized_;
    prepare.format = format_;
  } else {
    prepare.weights = file("weights.safetensors");
  }
  prepare.data = {file("data.safetensors"), samples_.train, samples_.test};
  prepare.order = file("order.safetensors");
  prepare.settings = settings;
  prepare.scratch = scratch;
  return prepare;
}

Status Exercise::save_long_order() const {
  trial::Settings settings = settings_;
  settings.epochs = kManyEpochs;
  return save_orders(file("long-order.safetensors"), settings, samples_.train);
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
            referee::Split::open(exercise.data(), "train", model, exercise.samples().train));
  CB_ASSIGN(const auto testing,
            referee::Split::open(exercise.data(), "test", model, exercise.samples().test));
  CB_ASSIGN(const auto weights, tensor::load_safetensors(exercise.file("weights.safetensors")));
  referee::Network<double> network(model, {}, {});
  CB_TRY(network.load(weights));
  Expectation expectation;
  std::vector<int64_t> ids(static_cast<size_t>(exercise.samples().test));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  network.forward(testing.gather<double>(ids).inputs, referee::Mode::kEvaluate);
  expectation.outputs = network.output().values;
  for (const auto& order : exercise.order()) {
    const auto epoch = referee::train_epoch(network, training, order, {});
    const double training_accuracy = referee::evaluate(network, training);
    const auto [accuracy, loss] = referee::score(network, testing);
    expectation.epochs.push_back({epoch.loss, epoch.accuracy, training_accuracy, accuracy, loss});
  }
  return expectation;
}

}  // namespace crossbind::checkup
