#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "base/cache.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/resources.h"
#include "data/batch_order.h"
#include "data/dataset.h"
#include "model/initial_weights.h"
#include "reference/training.h"

namespace crossbind::cli {
namespace {

struct RefereeRequest {
  std::string model;
  std::string dataset;
  int64_t epochs = 5;
  int64_t batch = 0;
  int64_t train = 0;
  int64_t test = 0;
  uint32_t seed = 1;
  int threads = 1;
  std::string output;
  bool json = false;
};

struct EpochLine {
  int64_t epoch = 0;
  reference::EpochResult training;
  double test_accuracy = 0;
  double seconds = 0;
};

void print_line(const EpochLine& line) {
  constexpr double kBarWidth = 40;
  const auto bar = static_cast<size_t>(std::lround(line.test_accuracy * kBarWidth));
  std::fputs(fmt::format("{:>5}  {:>8.4f}  {:>7.2f} %  {:>7.2f} %  {:>10}  {}\n",
                         line.epoch,
                         line.training.loss,
                         line.training.accuracy * 100,
                         line.test_accuracy * 100,
                         human_duration(std::chrono::duration<double>(line.seconds)),
                         std::string(bar, '#'))
                 .c_str(),
             stdout);
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const RefereeRequest& request,
                               const model::Model& model,
                               const std::string& dataset,
                               const std::vector<EpochLine>& lines) {
  nlohmann::ordered_json epochs = nlohmann::ordered_json::array();
  for (const auto& line : lines) {
    epochs.push_back({{"epoch", line.epoch},
                      {"loss", line.training.loss},
                      {"train_accuracy", line.training.accuracy},
                      {"test_accuracy", line.test_accuracy},
                      {"seconds", line.seconds}});
  }
  return {{"model", model.id},
          {"dataset", dataset},
          {"seed", request.seed},
          {"batch", request.batch},
          {"epochs", epochs}};
}

// Trains for the asked number of epochs; calls `done` after each.
Status train(const RefereeRequest& request,
             reference::Network<double>& network,
             const reference::Split& training,
             const reference::Split& testing,
             const std::function<void(const EpochLine&)>& done) {
  TerminalProgress bar;
  SilentProgress silence;
  Progress& progress = bar.is_interactive() ? static_cast<Progress&>(bar) : silence;
  for (int64_t epoch = 1; epoch <= request.epochs; ++epoch) {
    const auto order = data::batch_order(
        request.seed, static_cast<uint32_t>(epoch), training.size(), request.batch, true);
    const auto started = std::chrono::steady_clock::now();
    progress.begin(fmt::format("epoch {} of {}", epoch, request.epochs),
                   static_cast<uint64_t>(training.size()),
                   "samples");
    EpochLine line{.epoch = epoch};
    line.training = reference::train_epoch(network, training, order, [&](int64_t samples) {
      progress.advance(static_cast<uint64_t>(samples));
    });
    progress.clear();
    line.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (!std::isfinite(line.training.loss)) {
      return tl::unexpected(Error{ErrorKind::kInvalid,
                                  fmt::format("the loss is no longer finite in epoch {}", epoch),
                                  request.model,
                                  "Training diverged: a smaller learning rate may help."});
    }
    line.test_accuracy = reference::evaluate(network, testing);
    done(line);
  }
  return {};
}

void print_header(const RefereeRequest& request,
                  const model::Model& model,
                  const std::string& dataset,
                  int64_t train_samples,
                  int64_t test_samples) {
  fmt::print("{} on {}: {} parameters, {} training and {} test samples, batch {}, seed {}\n\n",
             model.id,
             dataset,
             with_thousands(model.parameter_count()),
             with_thousands(train_samples),
             with_thousands(test_samples),
             request.batch,
             request.seed);
  fmt::print("epoch      loss      train       test        time  test accuracy\n");
}

Status save(const RefereeRequest& request, const reference::Network<double>& network) {
  if (request.output.empty()) {
    return {};
  }
  return tensor::save_safetensors(
      request.output, network.parameters_as_float32(), {{"model", network.model().id}});
}

// Better now than after hours of training; the file itself is written at the end.
Status check_output(const RefereeRequest& request) {
  if (!request.output.empty()) {
    CB_TRY(AtomicFile::create(request.output));
  }
  return {};
}

Result<int> run_referee(RefereeRequest request) {
  CB_ASSIGN(const auto model,
            model::find_model(request.model, resource_folder("models"), model::Geometry::kFull));
  const std::string dataset_id = request.dataset.empty() ? model.dataset : request.dataset;
  CB_ASSIGN(const auto dataset, data::open_dataset(dataset_id, cache_directory()));
  CB_ASSIGN(const auto training,
            reference::Split::open(dataset.file(), "train", model, request.train));
  CB_ASSIGN(const auto testing,
            reference::Split::open(dataset.file(), "test", model, request.test));
  request.batch = request.batch > 0 ? request.batch : model.batch;
  CB_TRY(check_output(request));

  reference::Network<double> network(model, {.threads = request.threads}, {.seed = request.seed});
  CB_TRY(network.load(model::initial_weights(model, request.seed)));
  if (!request.json) {
    print_header(request, model, dataset_id, training.size(), testing.size());
  }
  std::vector<EpochLine> lines;
  CB_TRY(train(request, network, training, testing, [&](const EpochLine& line) {
    lines.push_back(line);
    if (!request.json) {
      print_line(line);
    }
  }));
  if (request.json) {
    fmt::print("{}", json_text(to_json(request, model, dataset_id, lines)));
  }
  CB_TRY(save(request, network));
  return kSuccess;
}

}  // namespace

void add_referee_command(Command& program) {
  Command command = program.subcommand("referee", "Train a model with the float64 referee");
  const auto request = std::make_shared<RefereeRequest>();
  command.option("--model", request->model, "A ready model's id, or a file ending in .toml")
      .required();
  command.option("--dataset", request->dataset, "Default: the model's own");
  command.option("--epochs", request->epochs, "How often to see every sample")
      .shows_default()
      .between(1, 1'000'000);
  command.option("--batch", request->batch, "Samples a step; default: the model's own")
      .between(1, 1'000'000);
  command.option("--train", request->train, "Use only the first so many training samples")
      .positive();
  command.option("--test", request->test, "Use only the first so many test samples").positive();
  command.option("--seed", request->seed, "Of weights, batch order and dropout")
      .shows_default()
      .between(0, UINT32_MAX);
  command.option("--threads", request->threads, "The result does not depend on it")
      .shows_default()
      .between(1, 1024);
  command.option("-o,--output", request->output, "Save the trained parameters (safetensors)");
  command.flag("--json", request->json, "Print JSON");
  command.footer(
      "Training accuracy is over the epoch's batches before each update; test accuracy over the\n"
      "whole test split in evaluation mode after the epoch.\n"
      "Example: crossbind dataset get glyphs --train 12000 --test 2000\n"
      "         crossbind referee --model lenet5 --dataset glyphs-12000-2000 --epochs 5\n"
      "Exit codes: 0 trained, 1 failed, 2 wrong usage.");
  command.runs([request] { return run_referee(*request); });
}

}  // namespace crossbind::cli
