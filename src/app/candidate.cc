#include "app/candidate.h"

#include <algorithm>
#include <iterator>

#include "workers/start.h"

namespace crossbind::app {
namespace {

bool serializes_for(const workers::Binding& other, const workers::Binding& binding) {
  return other.framework == binding.framework && other.state == workers::State::kReady &&
         trial::common_format(other.manifest->capabilities, binding.manifest->capabilities);
}

process::Program take_command(workers::StartCommand& start, FoundCandidate& found) {
  std::ranges::move(start.locks, std::back_inserter(found.locks));
  return std::move(start.program);
}

}  // namespace

Result<FoundCandidate> find_candidate(const workers::Binding& binding,
                                      const std::vector<workers::Binding>& all,
                                      const workers::Places& places) {
  FoundCandidate found;
  CB_ASSIGN(auto start, workers::start_command(binding, places));
  found.candidate.command = take_command(start, found);
  found.candidate.binding = binding.name;
  found.candidate.declared = binding.manifest->capabilities;
  const auto serializer =
      std::ranges::find_if(all, [&](const auto& other) { return serializes_for(other, binding); });
  if (serializer != all.end()) {
    CB_ASSIGN(auto other, workers::start_command(*serializer, places));
    const auto& able = serializer->manifest->capabilities;
    found.candidate.serializer =
        checkup::Serializer{serializer->name,
                            take_command(other, found),
                            able,
                            *trial::common_format(able, binding.manifest->capabilities)};
  }
  return found;
}

Result<FoundCandidate> find_candidate_named(const std::string& name,
                                            const workers::Places& places) {
  CB_ASSIGN(const auto all, workers::list_bindings(places));
  CB_ASSIGN(const auto selected, workers::select(all, {name}));
  if (selected.size() != 1) {
    return fail(ErrorKind::kInvalid, "{:?} means {} bindings; name one", name, selected.size());
  }
  return find_candidate(selected.front(), all, places);
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

}  // namespace crossbind::app
