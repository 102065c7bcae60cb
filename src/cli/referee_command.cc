#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "app/referee_training.h"
#include "app/resources.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"

namespace crossbind::cli {
namespace {

// What the command line says; lives as long as the closure that reads it.
struct Options {
  app::RefereeRequest request;
  bool json = false;
};

void print_epoch(const app::RefereeEpoch& line) {
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

nlohmann::ordered_json to_json(const app::RefereeCourse& course,
                               uint32_t seed,
                               const std::vector<app::RefereeEpoch>& lines) {
  nlohmann::ordered_json epochs = nlohmann::ordered_json::array();
  for (const auto& line : lines) {
    epochs.push_back({{"epoch", line.epoch},
                      {"loss", line.training.loss},
                      {"train_accuracy", line.training.accuracy},
                      {"test_accuracy", line.test_accuracy},
                      {"seconds", line.seconds}});
  }
  return {{"model", course.model.id},
          {"dataset", course.dataset},
          {"seed", seed},
          {"batch", course.batch},
          {"epochs", epochs}};
}

void print_header(const app::RefereeCourse& course, uint32_t seed) {
  fmt::print("{} on {}: {} parameters, {} training and {} test samples, batch {}, seed {}\n\n",
             course.model.id,
             course.dataset,
             with_thousands(course.model.parameter_count()),
             with_thousands(course.train_samples),
             with_thousands(course.test_samples),
             course.batch,
             seed);
  fmt::print("epoch      loss      train       test        time  test accuracy\n");
}

Result<int> run_referee(const Options& options) {
  const uint32_t seed = options.request.seed;
  TerminalProgress bar;
  SilentProgress silence;
  app::RefereeCourse course;
  std::vector<app::RefereeEpoch> epochs;
  const app::RefereeWatch watch{[&](const app::RefereeCourse& begun) {
                                  course = begun;
                                  if (!options.json) {
                                    print_header(course, seed);
                                  }
                                },
                                [&](const app::RefereeEpoch& epoch) {
                                  epochs.push_back(epoch);
                                  if (!options.json) {
                                    print_epoch(epoch);
                                  }
                                },
                                [&] {
                                  if (options.json) {
                                    fmt::print("{}", json_text(to_json(course, seed, epochs)));
                                  }
                                },
                                bar.is_interactive() ? static_cast<Progress&>(bar) : silence};
  CB_TRY(app::train_referee(options.request, app::this_machine(), watch));
  return kSuccess;
}

}  // namespace

void add_referee_command(Command& program) {
  Command command = program.subcommand("referee", "Train a model with the float64 referee");
  const auto options = std::make_shared<Options>();
  auto& request = options->request;
  command.option("--model", request.model, "A ready model's id, or a file ending in .toml")
      .required();
  command.option("--dataset", request.dataset, "Default: the model's own");
  command.option("--epochs", request.epochs, "How often to see every sample")
      .shows_default()
      .between(1, 1'000'000);
  command.option("--batch", request.batch, "Samples a step; default: the model's own")
      .between(1, 1'000'000);
  command.option("--train", request.train, "Use only the first so many training samples")
      .positive();
  command.option("--test", request.test, "Use only the first so many test samples").positive();
  command.option("--seed", request.seed, "Of weights, batch order and dropout")
      .shows_default()
      .between(0, UINT32_MAX);
  command.option("--threads", request.threads, "The result does not depend on it")
      .shows_default()
      .between(1, 1024);
  command.option("-o,--output", request.output, "Save the trained parameters (safetensors)");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Training accuracy is over the epoch's batches before each update; test accuracy over the\n"
      "whole test split in evaluation mode after the epoch.\n"
      "Example: crossbind dataset get glyphs --train 12000 --test 2000\n"
      "         crossbind referee --model lenet5 --dataset glyphs-12000-2000 --epochs 5\n"
      "Exit codes: 0 trained, 1 failed, 2 wrong usage.");
  command.runs([options] { return run_referee(*options); });
}

}  // namespace crossbind::cli
