#include "app/referee_training.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/file.h"
#include "data/batch_order.h"
#include "data/dataset.h"
#include "model/initial_weights.h"
#include "tensor/safetensors.h"

namespace crossbind::app {
namespace {

Result<RefereeEpoch> train_epoch(const RefereeRequest& request,
                                 const RefereeCourse& course,
                                 int64_t epoch,
                                 referee::Network<double>& network,
                                 const referee::Split& training,
                                 Progress& progress) {
  const auto order = data::batch_order(
      request.seed, static_cast<uint32_t>(epoch), training.size(), course.batch, true);
  const auto started = std::chrono::steady_clock::now();
  progress.begin(fmt::format("epoch {} of {}", epoch, request.epochs),
                 static_cast<uint64_t>(training.size()),
                 "samples");
  RefereeEpoch ended{.epoch = epoch};
  ended.training = referee::train_epoch(network, training, order, [&](int64_t samples) {
    progress.advance(static_cast<uint64_t>(samples));
  });
  progress.clear();
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (!std::isfinite(ended.training.loss)) {
    return tl::unexpected(Error{ErrorKind::kInvalid,
                                fmt::format("the loss is no longer finite in epoch {}", epoch),
                                request.model,
                                "Training diverged: a smaller learning rate may help."});
  }
  return ended;
}

}  // namespace

Status train_referee(const RefereeRequest& request,
                     const Machine& machine,
                     const RefereeWatch& watch) {
  RefereeCourse course;
  CB_ASSIGN(course.model, model::find_model(request.model, machine.models, model::Geometry::kFull));
  course.dataset = request.dataset.empty() ? course.model.dataset : request.dataset;
  CB_ASSIGN(const auto dataset, data::open_dataset(course.dataset, machine.cache));
  CB_ASSIGN(const auto training,
            referee::Split::open(dataset.file(), "train", course.model, request.train));
  CB_ASSIGN(const auto testing,
            referee::Split::open(dataset.file(), "test", course.model, request.test));
  course.train_samples = training.size();
  course.test_samples = testing.size();
  course.batch = request.batch > 0 ? request.batch : course.model.batch;
  if (!request.output.empty()) {
    // Better now than after hours of training; the file itself is written at the end.
    CB_TRY(AtomicFile::create(request.output));
  }

  referee::Network<double> network(
      course.model, {.threads = request.threads}, {.seed = request.seed});
  CB_TRY(network.load(model::initial_weights(course.model, request.seed)));
  watch.begins(course);
  for (int64_t epoch = 1; epoch <= request.epochs; ++epoch) {
    CB_ASSIGN(auto ended, train_epoch(request, course, epoch, network, training, watch.progress));
    ended.test_accuracy = referee::evaluate(network, testing);
    watch.ends_epoch(ended);
  }
  watch.ends();
  if (request.output.empty()) {
    return {};
  }
  return tensor::save_safetensors(
      request.output, network.parameters_as_float32(), {{"model", course.model.id}});
}

}  // namespace crossbind::app
