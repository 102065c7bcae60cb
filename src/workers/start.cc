#include "workers/start.h"

#include "workers/installation.h"

namespace crossbind::workers {
namespace {

tl::unexpected<Error> not_ready(const Binding& binding, const std::string& reason) {
  return tl::unexpected(
      Error{ErrorKind::kUnavailable,
            fmt::format("{} is not ready: {}", binding.name, reason),
            {},
            binding.command.empty() ? "" : fmt::format("Run: {}", binding.command)});
}

}  // namespace

Result<StartCommand> start_command(const Binding& binding, const Places& places) {
  if (binding.state != State::kReady) {
    return not_ready(binding, binding.reason);
  }
  const Manifest& manifest = *binding.manifest;
  CB_ASSIGN(const Installation installation, installation_of(manifest, binding.build, places));
  StartCommand command;
  for (const Home& home : installation.homes()) {
    CB_ASSIGN(auto lock, FileLock::try_acquire(home.lock(), FileLock::Mode::kShared));
    if (!lock) {
      return not_ready(binding, "another process sets it up or removes it now");
    }
    command.locks.push_back(std::move(*lock));
  }
  // Only now, under the locks, nobody can take it away.
  if (!installation.is_stamped()) {
    return not_ready(binding, "another process has just removed it");
  }
  command.program.arguments.push_back(installation.program);
  for (size_t i = 1; i < manifest.start.size(); ++i) {
    CB_ASSIGN(std::string argument, expand(manifest.start[i], installation.placeholders));
    command.program.arguments.push_back(std::move(argument));
  }
  for (const auto& [name, value] : manifest.environment) {
    CB_ASSIGN(const std::string text, expand(value, installation.placeholders));
    command.program.environment.push_back(fmt::format("{}={}", name, text));
  }
  command.program.directory = manifest.folder;
  return command;
}

}  // namespace crossbind::workers
