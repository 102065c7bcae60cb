#include "workers/binding.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/glob.h"
#include "base/text.h"
#include "trial/binding_name.h"
#include "workers/build_digest.h"
#include "workers/installation.h"
#include "workers/known_bindings.h"
#include "workers/program_lookup.h"

namespace crossbind::workers {
namespace {

void become(Binding& binding, State state, std::string reason, std::string command) {
  binding.state = state;
  binding.reason = std::move(reason);
  binding.command = std::move(command);
}

void become_broken(Binding& binding, const Error& error) {
  binding.manifest.reset();
  become(binding,
         State::kBroken,
         error.where.empty() ? error.message : fmt::format("{}: {}", error.where, error.message),
         "");
}

// False when every program that it needs is there.
bool lacks_programs(Binding& binding) {
  std::vector<std::string> programs;
  std::set<std::string> packages;
  for (const Need& need : binding.manifest->needs) {
    if (!is_on_path(need.program)) {
      programs.push_back(need.program);
      packages.insert(need.package);
    }
  }
  if (programs.empty()) {
    return false;
  }
  become(binding,
         State::kNeedsPrograms,
         fmt::format("not on PATH: {}", fmt::join(programs, ", ")),
         fmt::format("apt-get install {}", fmt::join(packages, " ")));
  return true;
}

std::string why_not_set_up(const Installation& installation) {
  if (installation.is_stamped()) {
    return fmt::format("its home is damaged: {} is missing", installation.program);
  }
  std::error_code ignored;
  return installation.own && std::filesystem::exists(installation.own->path, ignored)
             ? "its setup has not finished"
             : "not set up yet";
}

void judge(Binding& binding, const Installation& installation) {
  const bool has_homes = !installation.homes().empty();
  const bool is_installed =
      installation.is_stamped() && (installation.has_program() || !installation.installs_program());
  // Once it is installed, what the setup needed may go.
  if ((!has_homes || !is_installed) && lacks_programs(binding)) {
    return;
  }
  if (has_homes && !is_installed) {
    const std::string command = "crossbind setup " + binding.name;
    const auto homes = installation.homes();
    if (!installation.is_stamped() && std::ranges::any_of(homes, is_outdated)) {
      become(binding, State::kOutdated, "its sources have changed since its setup", command);
    } else {
      become(binding, State::kNotSetUp, why_not_set_up(installation), command);
    }
    return;
  }
  if (!installation.has_program()) {
    const bool is_built = binding.manifest->start.front().starts_with("{programs}");
    become(binding,
           State::kNeedsPrograms,
           fmt::format("{} is missing{}",
                       installation.program,
                       is_built ? "; it is built together with crossbind" : ""),
           "");
    return;
  }
  become(binding, State::kReady, "", "");
}

Binding inspect(const std::filesystem::path& folder, const Places& places) {
  // The name that the folder says, should its manifest say none.
  const std::string name = folder.filename().string();
  const size_t dash = name.rfind('-');
  Binding binding;
  binding.framework = name.substr(0, dash);
  binding.language = dash == std::string::npos ? "" : name.substr(dash + 1);
  binding.name = binding.framework + "/" + binding.language;
  auto manifest = load_manifest(folder / "worker.toml");
  if (!manifest) {
    become_broken(binding, manifest.error());
    return binding;
  }
  binding.framework = manifest->framework;
  binding.language = manifest->language;
  binding.name = manifest->binding();
  binding.title = manifest->title;
  auto build = build_digest(*manifest, places);
  if (!build) {
    become_broken(binding, build.error());
    return binding;
  }
  binding.build = std::move(*build);
  const auto installation = installation_of(*manifest, binding.build, places);
  if (!installation) {
    become_broken(binding, installation.error());
    return binding;
  }
  binding.manifest = std::move(*manifest);
  judge(binding, *installation);
  return binding;
}

Binding without_worker(const KnownBinding& known) {
  const trial::BindingName name(known.name);
  Binding binding;
  binding.name = known.name;
  binding.framework = name.framework();
  binding.language = name.language();
  become(binding, State::kNoWorker, known.missing, "");
  return binding;
}

}  // namespace

Result<std::vector<Binding>> list_bindings(const Places& places) {
  std::error_code code;
  std::map<std::string, Binding> found;
  for (std::filesystem::directory_iterator entry(places.workers, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    if (std::filesystem::exists(entry->path() / "worker.toml", ignored)) {
      Binding binding = inspect(entry->path(), places);
      found.insert_or_assign(binding.name, std::move(binding));
    }
  }
  if (code) {
    return tl::unexpected(Error{ErrorKind::kNotFound,
                                "cannot read the folder of workers: " + code.message(),
                                places.workers.string(),
                                "CROSSBIND_HOME names the folder that has 'workers' in it."});
  }
  CB_ASSIGN(const auto known, load_known_bindings(places.workers / "bindings.toml"));
  for (const KnownBinding& binding : known) {
    found.emplace(binding.name, without_worker(binding));
  }
  std::vector<Binding> bindings;
  bindings.reserve(found.size());
  for (auto& [name, binding] : found) {
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

Result<std::vector<Binding>> select(const std::vector<Binding>& bindings,
                                    const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns) {
    if (std::ranges::none_of(bindings, [&](const auto& b) { return matches(pattern, b.name); })) {
      std::vector<std::string> names;
      names.reserve(bindings.size());
      for (const auto& binding : bindings) {
        names.push_back(binding.name);
      }
      const std::string near = nearest(pattern, names);
      return tl::unexpected(Error{ErrorKind::kNotFound,
                                  fmt::format("there is no binding '{}'", pattern),
                                  {},
                                  near.empty() ? "'crossbind doctor' lists them all."
                                               : fmt::format("Did you mean '{}'?", near)});
    }
  }
  std::vector<Binding> selected;
  std::ranges::copy_if(bindings, std::back_inserter(selected), [&](const Binding& binding) {
    return std::ranges::any_of(patterns, [&](const auto& p) { return matches(p, binding.name); });
  });
  return selected;
}

}  // namespace crossbind::workers
