
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/cache.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/bindings_report.h"
#include "cli/candidate.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/features_report.h"
#include "cli/resources.h"

namespace crossbind::cli {
namespace {

constexpr std::chrono::minutes kPatience{5};  // for any one answer

struct Options {
  std::vector<std::string> patterns;
  bool features = false;
  bool json = false;
};

// Tries what the bindings claim; those without a worker are left out.
Result<std::vector<BindingFeatures>> try_all(const std::vector<workers::Binding>& bindings,
                                             const std::vector<workers::Binding>& all) {
  std::vector<BindingFeatures> tried;
  for (const auto& binding : bindings) {
    if (binding.state == workers::State::kNoWorker) {
      continue;
    }
    BindingFeatures features{binding.name, {}, {}};
    if (binding.state == workers::State::kReady) {
      fmt::print(stderr, "trying {}\n", binding.name);
      CB_ASSIGN(const auto found, find_candidate(binding, all));
      CB_ASSIGN(const auto scratch, TemporaryDirectory::create_in(cache_directory() / "check"));
      features.attempts =
          checkup::try_features(found.candidate, checkup_place(scratch.path(), kPatience));
    } else {
      features.not_ready = fmt::format("{}: {}", binding.reason, binding.command);
    }
    tried.push_back(std::move(features));
  }
  return tried;
}

bool any_fails(const std::vector<BindingFeatures>& tried) {
  return std::ranges::any_of(tried, [](const BindingFeatures& features) {
    return std::ranges::any_of(features.attempts, [](const checkup::Attempt& attempt) {
      return attempt.experience == checkup::Experience::kFails;
    });
  });
}

Result<int> doctor(const Options& options) {
  const auto places = worker_places();
  CB_ASSIGN(const auto all, workers::list_bindings(places));
  auto bindings = all;
  if (!options.patterns.empty()) {
    CB_ASSIGN(bindings, workers::select(all, options.patterns));
  }
  bool is_well = true;
  if (options.features) {
    CB_ASSIGN(const auto tried, try_all(bindings, all));
    std::fputs((options.json ? features_json(tried) : features_table(tried)).c_str(), stdout);
    is_well = !any_fails(tried);
  } else {
    std::fputs((options.json ? bindings_json(bindings, places) : bindings_table(bindings)).c_str(),
               stdout);
  }
  const bool all_ready = std::ranges::all_of(
      bindings, [](const auto& binding) { return binding.state == workers::State::kReady; });
  return is_well && (options.patterns.empty() || all_ready) ? kSuccess : kFailure;
}

}  // namespace

void add_doctor_command(Command& program) {
  const auto options = std::make_shared<Options>();
  Command command =
      program.subcommand("doctor", "Which bindings are ready, what is missing, how to get it");
  command.option(
      "BINDING", options->patterns, "Only these, all of which must be ready; * and ? are patterns");
  command.flag("--features",
               options->features,
               "Try what each binding claims: training, families of networks, ways to load");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Examples:\n"
      "  crossbind doctor\n"
      "  crossbind doctor 'pytorch/*' --json\n"
      "  crossbind doctor --features\n"
      "Exit codes: 0 done, 1 a binding that was named is not ready or one fails at what it "
      "claims,\n"
      "            2 wrong usage.");
  command.runs([options] { return doctor(*options); });
}

}  // namespace crossbind::cli
