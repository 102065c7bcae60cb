#include "conform/course.h"

#include <fmt/format.h>

#include "data/batch_order.h"
#include "judge/built_model.h"
#include "judge/step_tensors.h"
#include "referee/network.h"
#include "referee/rounding.h"
#include "tensor/safetensors.h"

namespace crossbind::conform {
namespace {

using referee::Network;

constexpr const char* kLoaderOrder = "loader-order.safetensors";

std::string path_file(int64_t batches) {
  return fmt::format("path-order-{}.safetensors", batches);
}

// Parameters and moments, rounded in the network too: the next step starts from what is shown.
tensor::TensorMap rounded_state(Network<double>& network) {
  tensor::TensorMap state;
  const auto& parameters = network.model().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    for (const auto& [suffix, array] : {std::pair{"", &network.parameter(i)},
                                        std::pair{".state.m", &network.state(i).m},
                                        std::pair{".state.v", &network.state(i).v}}) {
      if (!array->values.empty()) {
        round_to_float32(*array);
        state.emplace(parameters[i].name + suffix, as_float32(*array));
      }
    }
  }
  return state;
}

// As the only epoch's.
Status save_order(const std::filesystem::path& path, const referee::BatchOrder& order) {
  int64_t samples = 0;
  for (const auto& batch : order) {
    samples += std::ssize(batch);
  }
  return data::save_orders(path, 1, samples, [&](uint32_t /*epoch*/) { return order; });
}

}  // namespace

Result<Course> Course::make(const model::Model& model,
                            uint32_t seed,
                            int64_t steps,
                            const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const trial::Settings settings{.seed = seed, .epochs = 1, .batch_size = model.batch};
  const checkup::Samples samples{.train = std::max(steps, kWholeBatches + 1) * model.batch,
                                 .test = model.batch};
  CB_ASSIGN(auto exercise,
            checkup::Exercise::make(judge::without_dropout(model), settings, folder, samples));
  Course course(std::move(exercise), model, steps);
  for (int64_t number = 1; number <= steps; ++number) {
    CB_ASSIGN(const auto batch, judge::batch_of(course.exercise_.data(), course.ids(number)));
    CB_TRY(tensor::save_safetensors(course.batch_file(number), batch, {}));
  }
  std::filesystem::copy_file(
      course.exercise_.file("weights.safetensors"), course.state_file(1), ignored);
  CB_TRY(course.save_orders());
  return course;
}

Status Course::walk() {
  Network<double> network(model(), {}, {.enabled = false});
  CB_ASSIGN(const auto first, tensor::load_safetensors(state_file(1)));
  CB_TRY(network.load(first));
  CB_ASSIGN(const auto split,
            referee::Split::open(exercise_.data(), "train", model(), exercise_.samples().train));
  for (int64_t number = 1; number <= steps_; ++number) {
    const auto batch = split.gather<double>(ids(number));
    network.train_step(batch.inputs, batch.targets);
    CB_TRY(set_state(number + 1, rounded_state(network)));
  }
  return {};
}

Status Course::set_state(int64_t number, const tensor::TensorMap& state) const {
  return tensor::save_safetensors(state_file(number), state, {});
}

Result<judge::RecordedStep> Course::start(int64_t number) const {
  judge::RecordedStep step;
  step.number = number;
  CB_ASSIGN(step.state, tensor::load_safetensors(state_file(number)));
  CB_ASSIGN(const auto split,
            referee::Split::open(exercise_.data(), "train", model(), exercise_.samples().train));
  step.batch = split.gather<double>(ids(number));
  return step;
}

converse::StepFiles Course::files(int64_t number, const std::filesystem::path& directory) const {
  return {batch_file(number), state_file(number), directory};
}

referee::BatchOrder Course::loader_order() const {
  return data::batch_order(seed(), 1, loader_samples(), batch_size(), true);
}

int64_t Course::loader_samples() const {
  return kWholeBatches * batch_size() + std::max<int64_t>(batch_size() / 2, 1);
}

referee::BatchOrder Course::path_order(int64_t batches) const {
  const int64_t samples = std::min(batches * batch_size(), loader_samples());
  return data::batch_order(seed(), 1, samples, batch_size(), false);
}

std::vector<int64_t> Course::path_ids(int64_t number) const {
  return path_order(number).back();
}

Status Course::save_orders() const {
  CB_TRY(save_order(exercise_.file(kLoaderOrder), loader_order()));
  for (int64_t batches = 1; batches <= kPathSteps; ++batches) {
    CB_TRY(save_order(exercise_.file(path_file(batches)), path_order(batches)));
  }
  return {};
}

protocol::Prepare Course::prepare_loader(const trial::Settings& settings) const {
  return prepare(loader_order(), kLoaderOrder, settings);
}

protocol::Prepare Course::prepare_path(int64_t batches, const trial::Settings& settings) const {
  return prepare(path_order(batches), path_file(batches), settings);
}

protocol::Prepare Course::prepare(const referee::BatchOrder& order,
                                  const std::string& file,
                                  const trial::Settings& settings) const {
  auto request = exercise_.prepare(settings, {});
  request.order = exercise_.file(file);
  request.data->train_samples = 0;
  for (const auto& batch : order) {
    request.data->train_samples += std::ssize(batch);
  }
  return request;
}

std::filesystem::path Course::state_file(int64_t number) const {
  return exercise_.file(fmt::format("state-{}.safetensors", number));
}

std::filesystem::path Course::batch_file(int64_t number) const {
  return exercise_.file(fmt::format("batch-{}.safetensors", number));
}

}  // namespace crossbind::conform
