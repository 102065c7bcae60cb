#include "workers/installation.h"

#include <algorithm>

#include "workers/program_lookup.h"

namespace crossbind::workers {

std::vector<Home> Installation::homes() const {
  std::vector<Home> all = shared;
  if (own) {
    all.push_back(*own);
  }
  return all;
}

bool Installation::is_stamped() const {
  return std::ranges::all_of(homes(), workers::is_stamped);
}

bool Installation::has_program() const {
  return program.find('/') == std::string::npos ? is_on_path(program) : is_program(program);
}

bool Installation::installs_program() const {
  return std::ranges::any_of(
      homes(), [&](const Home& home) { return program.starts_with(home.path.string() + "/"); });
}

Result<Installation> installation_of(const Manifest& manifest,
                                     const std::string& build,
                                     const Places& places) {
  Installation installation;
  installation.placeholders = {{"folder", manifest.folder.string()},
                               {"programs", places.programs.string()}};
  for (const auto& share : manifest.shares) {
    CB_ASSIGN(Home home, shared_home(share, places));
    installation.placeholders.emplace("shared:" + share, home.path.string());
    installation.shared.push_back(std::move(home));
  }
  if (!manifest.setup.empty()) {
    installation.own = worker_home(manifest, build, places);
    installation.placeholders.emplace("home", installation.own->path.string());
  }
  CB_ASSIGN(installation.program, expand(manifest.start.front(), installation.placeholders));
  if (installation.program.find('/') != std::string::npos) {
    installation.program = (manifest.folder / installation.program).lexically_normal().string();
  }
  return installation;
}

}  // namespace crossbind::workers
