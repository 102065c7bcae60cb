// What the harness costs: the round trip of a message to a worker that does nothing, and the time
// that the referee reports for an epoch under the harness beside that of the same loop run bare.
// Both take turns on one processor, each in a fresh process. Fails when a target is missed: that of
// the ratio when all of its interval lies above it, for what else the machine does moves single
// pairs by several percent. How far it moves a median shows in the control, neighbouring bare runs
// over each other. `overhead_bench PAIRS` takes more pairs, for a narrower interval.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/file.h"
#include "converse/launcher.h"
#include "data/get.h"
#include "figures.h"
#include "model/graph_json.h"
#include "process/command.h"
#include "process/waiting.h"
#include "protocol/codec.h"
#include "run/materials.h"
#include "run/trial_runner.h"

namespace crossbind::run {
namespace {

using converse::Heard;
using converse::Launcher;
using converse::Worker;
using place::Reach;
using process::StopSignal;

constexpr int kRoundTrips = 5'000;
constexpr double kMostMicroseconds = 100;
constexpr size_t kPairs = 40;
constexpr double kMostRatio = 1.01;
constexpr uint32_t kSeed = 1;

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct Interval {
  double median = 0;
  double low = 0;
  double high = 0;
};

// The median and its interval of 95 %: the order statistics that the binomial distribution with
// p = 1/2 leaves, in its normal approximation.
Interval median_interval(std::vector<double> values) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const double margin = 1.96 * std::sqrt(n) / 2;
  const auto low = static_cast<size_t>(std::max(0.0, std::floor(n / 2 - margin)));
  const auto high = static_cast<size_t>(std::min(n - 1, std::ceil(n / 2 + margin)));
  return {quantile(values, 0.5), values[low], values[high]};
}

Result<double> round_trip(Worker& worker, const StopSignal& stop, protocol::RequestId id) {
  const auto begin = std::chrono::steady_clock::now();
  CB_TRY(worker.send(protocol::Infer{.id = id}));
  CB_ASSIGN(const Heard heard, worker.receive(process::kForever, stop.orderly()));
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  const auto* event = std::get_if<protocol::Event>(&heard);
  if (event == nullptr || !std::holds_alternative<protocol::Done>(*event)) {
    return fail(ErrorKind::kInvalid, "the null worker did not answer 'done'");
  }
  return time.count();
}

// Whether the target is met.
Result<bool> measure_round_trips(const char* name,
                                 Reach reach,
                                 const std::filesystem::path& scratch) {
  place::LocalPlace here(CROSSBIND_GUARD_PROGRAM, scratch);
  Launcher launcher(here, {.version = "bench"}, reach);
  CB_ASSIGN(const auto worker,
            launcher.launch("null/cpp", {{CROSSBIND_NULL_PROGRAM}, scratch, {}}, {}));
  const StopSignal stop;
  CB_TRY(worker->greet(stop.orderly()));
  std::vector<double> times;
  for (int i = 1; i <= kRoundTrips; ++i) {
    CB_ASSIGN(const double time, round_trip(*worker, stop, i));
    times.push_back(time);
  }
  CB_TRY(worker->send(protocol::Bye{}));
  static_cast<void>(worker->end(Worker::Leave::kByItself));
  std::ranges::sort(times);
  const double median = quantile(times, 0.5);
  fmt::print(
      "round trip, {:<4}  {} of them  median {:6.1f} us (target < {:.0f})  99 % {:6.1f} us\n",
      name,
      kRoundTrips,
      median,
      kMostMicroseconds,
      quantile(times, 0.99));
  note_figure(fmt::format("round_trip_{}", name),
              fmt::format("{:.0f} µs", median),
              median < kMostMicroseconds);
  return median < kMostMicroseconds;
}

// LeNet-5, one epoch of 32 batches of 64, one thread.
Result<TrialJob> make_job(const spec::ModelEntry& entry, Materials& materials) {
  TrialJob job;
  job.identity = "bench";
  job.axes.binding = "reference/cpp";
  job.model = &entry.model;
  job.settings = {.seed = kSeed,
                  .epochs = entry.epochs,
                  .batch_size = entry.model.batch,
                  .evaluate = trial::Evaluate::kLast,
                  .warmup_steps = 2};
  job.command = {{CROSSBIND_BARE_PROGRAM}, materials.scratch(), {}};
  job.limits.cpus = {::sched_getcpu()};
  job.scratch = materials.scratch();
  CB_ASSIGN(job.data, materials.data(entry));
  CB_ASSIGN(job.model_file, materials.initial_weights(entry, kSeed));
  CB_ASSIGN(job.order, materials.batch_order(entry, kSeed, job.data.train_samples));
  return job;
}

struct Epoch {
  double milliseconds = 0;
  double loss = 0;
};

Result<Epoch> run_under_harness(const TrialJob& job, Launcher& launcher) {
  const StopSignal stop;
  const auto record = run_trial(
      job, launcher, stop, [] { return store::Time{}; }, [](const tasks::Progress&) {});
  if (!record || record->outcome != store::Outcome::kDone) {
    return fail(ErrorKind::kInvalid, "the trial failed: {}", record ? record->reason : "stopped");
  }
  for (const auto& series : record->series) {
    if (series.metric == "train.epoch") {
      return Epoch{series.values.front() * 1e3, record->curve.front().loss.value_or(0)};
    }
  }
  return fail(ErrorKind::kInvalid, "the trial has no time of its epoch");
}

Result<Epoch> run_bare(const std::filesystem::path& request, int cpu) {
  process::Command command;
  command.arguments = {
      "taskset", "--cpu-list", std::to_string(cpu), CROSSBIND_BARE_PROGRAM, request};
  CB_ASSIGN(const auto outcome, process::run(command));
  Epoch epoch;
  if (outcome.exit_code != 0 ||
      std::sscanf(outcome.out.c_str(), "%lf %lf", &epoch.milliseconds, &epoch.loss) != 2) {
    return fail(ErrorKind::kInvalid, "the bare training failed: {}", outcome.error);
  }
  epoch.milliseconds /= 1e6;
  return epoch;
}

void print_times(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  fmt::print("{:<18}  {} times  median {:.1f} ms  half within {:.1f} to {:.1f}  least {:.1f} ms\n",
             what,
             times.size(),
             quantile(times, 0.5),
             quantile(times, 0.25),
             quantile(times, 0.75),
             times.front());
}

void print_ratio(const char* what, const Interval& ratio) {
  fmt::print(
      "{:<26}  median {:.4f}  95 % {:.4f} to {:.4f}\n", what, ratio.median, ratio.low, ratio.high);
}

// Whether the target is not surely missed.
bool judge(const std::vector<double>& under_harness, const std::vector<double>& bare) {
  std::vector<double> ratios;
  std::vector<double> control;
  for (size_t i = 0; i < bare.size(); ++i) {
    ratios.push_back(under_harness[i] / bare[i]);
    if (i > 0) {
      control.push_back(bare[i] / bare[i - 1]);
    }
  }
  print_times("under the harness", under_harness);
  print_times("bare", bare);
  print_ratio("bare over the bare before", median_interval(std::move(control)));
  const Interval ratio = median_interval(std::move(ratios));
  print_ratio("under the harness over bare", ratio);
  const char* state = ratio.high <= kMostRatio  ? "met"
                      : ratio.low <= kMostRatio ? "not missed; more pairs would tell"
                                                : "missed";
  fmt::print("target <= {}: {}\n", kMostRatio, state);
  note_figure("overhead",
              fmt::format("{:.4f} (95 % {:.4f} to {:.4f})", ratio.median, ratio.low, ratio.high),
              ratio.low <= kMostRatio);
  return ratio.low <= kMostRatio;
}

Result<bool> compare(const TrialJob& job, const std::filesystem::path& scratch, size_t pairs) {
  protocol::Prepare prepare;
  prepare.graph = model::canonical_graph(*job.model).dump();
  prepare.weights = job.model_file;
  prepare.data = job.data;
  prepare.order = job.order;
  prepare.settings = job.settings;
  prepare.scratch = scratch;
  CB_TRY(write_file(scratch / "prepare.json", protocol::encode(prepare)));
  place::LocalPlace here(CROSSBIND_GUARD_PROGRAM, scratch);
  Launcher launcher(here, {.version = "bench"});
  std::vector<double> under_harness;
  std::vector<double> bare;
  for (size_t pair = 0; pair < pairs; ++pair) {
    // Neighbours see the same machine, whatever else it does; each comes first as often.
    const bool is_bare_first = pair % 2 == 1;
    std::optional<Epoch> without;
    const auto measure_bare = [&]() -> Status {
      CB_ASSIGN(without, run_bare(scratch / "prepare.json", job.limits.cpus.front()));
      return {};
    };
    if (is_bare_first) {
      CB_TRY(measure_bare());
    }
    CB_ASSIGN(const Epoch with, run_under_harness(job, launcher));
    if (!is_bare_first) {
      CB_TRY(measure_bare());
    }
    if (with.loss != without->loss) {
      return fail(
          ErrorKind::kInvalid, "not the same training: losses {}, {}", with.loss, without->loss);
    }
    under_harness.push_back(with.milliseconds);
    bare.push_back(without->milliseconds);
  }
  return judge(under_harness, bare);
}

Result<bool> measure_training(const std::filesystem::path& scratch, size_t pairs) {
  SilentProgress progress;
  CB_ASSIGN(const auto info, data::find_dataset("glyphs-2000-500"));
  CB_TRY(data::get_dataset({.info = info}, {scratch, process::run, progress}));
  spec::ModelEntry entry;
  CB_ASSIGN(entry.model,
            model::find_model(
                "lenet5", std::string(CROSSBIND_SOURCE_DIR) + "/models", model::Geometry::kFull));
  entry.model.dataset = info.id;
  entry.model.batch = 64;
  entry.label = "lenet5";
  Materials materials(scratch, scratch);
  CB_ASSIGN(const TrialJob job, make_job(entry, materials));
  fmt::print("LeNet-5, 2000 digits, batches of 64, one epoch, processor {}, in turns\n",
             job.limits.cpus.front());
  return compare(job, scratch, pairs);
}

Result<bool> run(size_t pairs) {
  CB_ASSIGN(const auto directory, TemporaryDirectory::create());
  CB_ASSIGN(const bool is_unix_fast, measure_round_trips("unix", Reach::kUsual, directory.path()));
  CB_ASSIGN(const bool is_tcp_fast, measure_round_trips("tcp", Reach::kTcp, directory.path()));
  CB_ASSIGN(const bool is_light, measure_training(directory.path(), pairs));
  return is_unix_fast && is_tcp_fast && is_light;
}

}  // namespace
}  // namespace crossbind::run

int main(int count, char** arguments) {
  size_t pairs = crossbind::run::kPairs;
  if (count > 1) {
    const std::string_view text = arguments[1];
    const auto [end, error] = std::from_chars(text.begin(), text.end(), pairs);
    if (error != std::errc{} || end != text.end() || pairs < crossbind::run::kPairs) {
      fmt::print(stderr, "overhead_bench [PAIRS]: {} or more\n", crossbind::run::kPairs);
      return 2;
    }
  }
  const auto met = crossbind::run::run(pairs);
  if (!met) {
    std::fputs((met.error().to_string() + "\n").c_str(), stderr);
  }
  return met && *met ? 0 : 1;
}
