// Every binding that is known, and whether it can be used here: those with a folder in workers/,
// and those that workers/bindings.toml names. Looks only; setup.h changes things.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/named.h"
#include "workers/manifest.h"
#include "workers/places.h"

namespace crossbind::workers {

enum class State {
  kReady,
  kNotSetUp,
  kOutdated,       // set up, but from other sources
  kNeedsPrograms,  // something that no setup installs is missing
  kNoWorker,
  kBroken,  // its manifest is wrong, or a file that it names is not there
};

inline constexpr std::array kStates = {
    Named<State>{"ready", State::kReady},
    Named<State>{"not-set-up", State::kNotSetUp},
    Named<State>{"outdated", State::kOutdated},
    Named<State>{"needs-programs", State::kNeedsPrograms},
    Named<State>{"no-worker", State::kNoWorker},
    Named<State>{"broken", State::kBroken},
};

struct Binding {
  std::string name;  // "pytorch/rust"
  std::string framework;
  std::string language;
  std::string title;                 // empty without a manifest
  std::optional<Manifest> manifest;  // not with kNoWorker and kBroken
  State state = State::kNoWorker;
  std::string reason;   // why it is not ready; empty when it is
  std::string command;  // what mends that; empty where no single command does
  std::string build;    // SHA-256 of what it is made from; empty without a manifest
};

// Sorted by name. What is wrong with one manifest makes that binding kBroken and no more.
[[nodiscard]] Result<std::vector<Binding>> list_bindings(const Places& places);

// The bindings that the patterns (names, or with * and ?) match, each once, in the order of
// `bindings`; a pattern that matches none is an error.
[[nodiscard]] Result<std::vector<Binding>> select(const std::vector<Binding>& bindings,
                                                  const std::vector<std::string>& patterns);

}  // namespace crossbind::workers
