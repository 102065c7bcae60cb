#include "cli/candidate.h"

#include <algorithm>
#include <iterator>

#include "cli/resources.h"
#include "cli/version.h"
#include "workers/start.h"

namespace crossbind::cli {
namespace {

bool serializes_for(const workers::Binding& other, const workers::Binding& binding) {
  return other.framework == binding.framework && other.state == workers::State::kReady &&
         other.manifest->capabilities.serializes;
}

run::WorkerCommand take_command(workers::StartCommand& start, FoundCandidate& found) {
  std::ranges::move(start.locks, std::back_inserter(found.locks));
  return {start.arguments, start.directory, start.environment};
}

}  // namespace

Result<FoundCandidate> find_candidate(const workers::Binding& binding,
                                      const std::vector<workers::Binding>& all) {
  FoundCandidate found;
  CB_ASSIGN(auto start, workers::start_command(binding, worker_places()));
  found.candidate.command = take_command(start, found);
  found.candidate.binding = binding.name;
  found.candidate.declared = binding.manifest->capabilities;
  const auto serializer =
      std::ranges::find_if(all, [&](const auto& other) { return serializes_for(other, binding); });
  if (serializer != all.end()) {
    CB_ASSIGN(auto other, workers::start_command(*serializer, worker_places()));
    found.candidate.serializer = checkup::Serializer{
        serializer->name, take_command(other, found), serializer->manifest->capabilities};
  }
  return found;
}

Result<FoundCandidate> find_program(const std::vector<std::string>& command) {
  FoundCandidate found;
  found.candidate.command.arguments = command;
  found.candidate.command.directory = std::filesystem::current_path();
  const auto manifest_path = found.candidate.command.directory / "worker.toml";
  if (std::filesystem::exists(manifest_path)) {
    CB_ASSIGN(const auto manifest, workers::load_manifest(manifest_path));
    found.candidate.binding = manifest.binding();
    found.candidate.declared = manifest.capabilities;
  }
  return found;
}

checkup::Place checkup_place(const std::filesystem::path& scratch,
                             std::chrono::milliseconds patience) {
  return {.guard = worker_places().guard,
          .version = kVersion,
          .models = resource_folder("models"),
          .scratch = scratch,
          .patience = patience};
}

}  // namespace crossbind::cli
