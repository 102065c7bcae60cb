#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <sstream>
#include <thread>

#include "base/cache.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/candidate.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/conform_report.h"
#include "cli/resources.h"
#include "cli/signal_scope.h"
#include "cli/version.h"
#include "conform/conformance.h"
#include "run/process_worker.h"

namespace crossbind::cli {
namespace {

constexpr int kCouldNotRun = 3;
constexpr int kMostLanes = 4;  // each holds a worker: frameworks take memory
constexpr int64_t kFullSteps = 2;
constexpr const char* kReferee = "referee";
constexpr const char* kProgramName = "candidate";

// What the command line says; lives as long as the closure that reads it.
struct Options {
  std::vector<std::string> bindings;
  std::vector<std::string> program;
  std::vector<std::string> models;
  std::string seeds = "1";
  int64_t steps = 0;  // 0: as many as usual
  std::string against = kReferee;
  std::string device;  // empty: the processor, where a worker has it
  bool full = false;
  bool json = false;
  std::filesystem::path junit;   // empty: none
  std::filesystem::path shrink;  // a folder for repros; empty: none
  std::filesystem::path replay;  // a repro; empty: none
};

struct Found {
  std::vector<conform::Participant> participants;
  std::vector<workers::FileLock> locks;  // no setup removes them meanwhile
};

// `folder` is where the list of its known divergences may be.
Status add(const std::string& name,
           FoundCandidate candidate,
           const std::string& device,
           const std::filesystem::path& folder,
           Found& found) {
  CB_ASSIGN(auto known, conform::load_known(folder / "known.toml"));
  candidate.candidate.device = device;
  found.participants.push_back({name, std::move(candidate.candidate), std::move(known)});
  std::ranges::move(candidate.locks, std::back_inserter(found.locks));
  return {};
}

// Those that are named, which must be ready; without names, those that are.
Result<Found> find_participants(const Options& options) {
  Found found;
  if (!options.program.empty()) {
    CB_ASSIGN(auto candidate, find_program(options.program));
    CB_TRY(add(kProgramName,
               std::move(candidate),
               options.device,
               std::filesystem::current_path(),
               found));
    if (options.against == kReferee) {
      return found;
    }
  }
  CB_ASSIGN(const auto all, workers::list_bindings(worker_places()));
  auto names = options.bindings;
  const bool names_all = names.empty() && options.program.empty();
  if (options.against != kReferee) {
    names.push_back(options.against);
  }
  auto bindings = all;
  if (names_all) {
    std::erase_if(bindings,
                  [](const auto& binding) { return binding.state != workers::State::kReady; });
  } else {
    CB_ASSIGN(bindings, workers::select(all, names));
  }
  for (const auto& binding : bindings) {
    CB_ASSIGN(auto candidate, find_candidate(binding, all));
    CB_TRY(
        add(binding.name, std::move(candidate), options.device, binding.manifest->folder, found));
  }
  return found;
}

Result<std::vector<model::Model>> find_models(const Options& options) {
  const auto folder = resource_folder("models");
  const auto geometry = options.full ? model::Geometry::kFull : model::Geometry::kConform;
  std::vector<model::Model> models;
  for (const auto& name : options.models) {
    CB_ASSIGN(auto model, model::find_model(name, folder, geometry));
    models.push_back(std::move(model));
  }
  if (!options.models.empty()) {
    return models;
  }
  CB_ASSIGN(const auto paths, model::list_models(folder));
  for (const auto& path : paths) {
    CB_ASSIGN(auto model, model::load_model(path, geometry));
    models.push_back(std::move(model));
  }
  return models;
}

// "1,2,3"
Result<std::vector<uint32_t>> seeds_of(const std::string& list) {
  std::vector<uint32_t> seeds;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    uint32_t seed = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
    if (error != std::errc() || end != word.data() + word.size()) {
      return fail(ErrorKind::kInvalid, "--seeds takes numbers like 1,2,3, not {:?}", list);
    }
    seeds.push_back(seed);
  }
  return seeds;
}

Result<conform::Questions> questions_of(const Options& options,
                                        const std::vector<conform::Participant>& participants) {
  conform::Questions questions;
  CB_ASSIGN(questions.models, find_models(options));
  CB_ASSIGN(questions.seeds, seeds_of(options.seeds));
  questions.is_full = options.full;
  if (options.full) {
    questions.steps = kFullSteps;
  }
  if (options.steps > 0) {
    questions.steps = options.steps;
  }
  if (!options.shrink.empty()) {
    questions.repros = options.shrink;
  }
  if (options.against != kReferee) {
    const auto leader =
        std::ranges::find(participants, options.against, &conform::Participant::name);
    if (leader == participants.end()) {
      return fail(ErrorKind::kInvalid, "--against takes one binding, not {:?}", options.against);
    }
    questions.against = static_cast<size_t>(leader - participants.begin());
  }
  return questions;
}

// A bar on a terminal, lines elsewhere.
class Display {
 public:
  explicit Display(size_t verdicts) {
    if (bar_.is_interactive()) {
      bar_.begin("conform", verdicts, "verdicts");
    }
  }
  void show(const conform::Verdict& verdict) {
    ++done_;
    if (bar_.is_interactive()) {
      bar_.advance(done_);
    } else {
      fmt::print(stderr, "{}\n", verdict_line(verdict));
    }
  }
  void close() {
    if (bar_.is_interactive()) {
      bar_.clear();
    }
  }

 private:
  TerminalProgress bar_;
  uint64_t done_ = 0;
};

// The words behind "--" are a program, not bindings. What does not go together; or "".
std::string settle(Options& options, const std::vector<std::string>& after_dashes) {
  options.program = after_dashes;
  if (!options.bindings.empty() && !options.program.empty()) {
    return "pass either BINDING or -- COMMAND ARGUMENTS";
  }
  if (!options.replay.empty() && !(options.models.empty() && options.shrink.empty())) {
    return "--replay takes a model of its own, and shrinks nothing";
  }
  const bool seeds_are_numbers =
      !options.seeds.empty() && options.seeds.find_first_not_of("0123456789,") == std::string::npos;
  return seeds_are_numbers ? "" : "--seeds takes numbers like 1,2,3";
}

int exit_code(const conform::Report& report) {
  const auto any = [&](conform::Outcome outcome) {
    return std::ranges::any_of(report.verdicts, [&](const conform::Verdict& verdict) {
      return verdict.outcome == outcome ||
             std::ranges::any_of(verdict.parts,
                                 [&](const auto& part) { return part.outcome == outcome; });
    });
  };
  const bool misses = std::ranges::any_of(
      report.verdicts, [](const auto& verdict) { return !verdict.missed.empty(); });
  if (misses || any(conform::Outcome::kDiverges)) {
    return kFailure;
  }
  return any(conform::Outcome::kFailed) ? kCouldNotRun : kSuccess;
}

Result<int> conform_bindings(const Options& options) {
  const auto began = std::chrono::steady_clock::now();
  CB_ASSIGN(const Found found, find_participants(options));
  CB_ASSIGN(auto questions, questions_of(options, found.participants));
  std::optional<conform::Case> kept;
  if (!options.replay.empty()) {
    CB_ASSIGN(kept, conform::read_repro(options.replay));
    questions.models = {kept->model};
    questions.steps = 1;
  }
  CB_ASSIGN(const auto scratch, TemporaryDirectory::create_in(cache_directory() / "conform"));
  run::ProcessLauncher launcher(
      {.guard = worker_places().guard, .version = kVersion, .scratch = scratch.path()});
  run::StopSignal stop;
  const SignalScope signals(stop);
  const int lanes =
      std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostLanes);
  Display display(found.participants.size() * questions.models.size());
  const conform::Surroundings surroundings{launcher, stop, scratch.path(), lanes};
  const conform::OnVerdict show = [&](const auto& verdict) { display.show(verdict); };
  const auto report = kept ? conform::replay_all(found.participants, *kept, surroundings, show)
                           : conform::examine(found.participants, questions, surroundings, show);
  display.close();
  if (!report) {
    return tl::unexpected(report.error());
  }
  ConformRequest request{.against = options.against,
                         .full = options.full,
                         .steps = questions.steps,
                         .seeds = questions.seeds,
                         .wall = std::chrono::steady_clock::now() - began};
  std::fputs((options.json ? conform_json(*report, request) : conform_text(*report)).c_str(),
             stdout);
  if (!options.junit.empty()) {
    CB_TRY(write_file(options.junit, conform_junit(*report)));
  }
  return stop.is_raised() ? kInterrupted : exit_code(*report);
}

}  // namespace

void add_conform_command(Command& program) {
  Command command = program.subcommand(
      "conform", "Where bindings part: every step judged by the referee, layer by layer");
  const auto options = std::make_shared<Options>();
  command.option("BINDING",
                 options->bindings,
                 "Bindings, * and ? are patterns; without, all that are ready. After --: a program "
                 "and its arguments instead");
  command.option("--model", options->models, "Models by id or file; without, all ready ones");
  command.option("--steps", options->steps, "Training steps (default 5; with --full 2)")
      .between(1, 1000);
  command.option("--seeds", options->seeds, "Of weights, data and order: 1,2,3").shows_default();
  command
      .option("--against",
              options->against,
              "Start the steps from this binding's states, and say who shows its bits")
      .shows_default();
  command.option("--device", options->device, "cpu or cuda; without, cpu where a worker has it")
      .one_of({"cpu", "cuda"});
  command.flag("--full", options->full, "At real size, not at the [conform] geometries");
  command.option(
      "--shrink",
      options->shrink,
      "For each divergence, write the smallest step that shows it into a folder in here");
  command.option("--replay", options->replay, "Only take the step in this folder of --shrink");
  command.flag("--json", options->json, "Print JSON");
  command.option("--junit", options->junit, "Also write this file of JUnit XML");
  command.footer(
      "Examples:\n"
      "  crossbind conform pytorch/rust\n"
      "  crossbind conform 'pytorch/*' --model lenet5 --against pytorch/python\n"
      "  crossbind conform --model lenet5 -- python3 worker.py\n"
      "  crossbind conform pytorch/rust --model gru --shrink repros\n"
      "  crossbind conform pytorch/cpp --device cuda\n"
      "Needs no data set: weights and data are made up. docs/conform.md explains the verdicts.\n"
      "Exit codes: 0 all agree, 1 one diverges or a known divergence is missing, 2 wrong usage,\n"
      "            3 something could not run, 130 interrupted.");
  command.runs([options] { return conform_bindings(*options); },
               [options, command] { return settle(*options, command.after_dashes()); });
}

}  // namespace crossbind::cli
