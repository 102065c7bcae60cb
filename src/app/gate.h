// The gate between two stores that lie somewhere, and what a step of a GitHub workflow is told of
// it. Decides nothing (decide/gate.h) and prints nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "decide/gate.h"

namespace crossbind::app {

struct GateRequest {
  std::string baseline;  // the places of stores
  std::string candidate;
  decide::GateOptions options;
};

[[nodiscard]] Result<decide::Gate> gate_between(const GateRequest& request);

// The times of a store against themselves.
[[nodiscard]] Result<decide::SelfTest> gate_on_itself(const std::string& store,
                                                      const decide::TimeLimits& limits,
                                                      const decide::SelfTestOptions& options);

// A step of a GitHub workflow, which reads annotations in what is printed.
struct GitHubStep {
  std::filesystem::path summary;  // the file of what all its commands have to say; empty: none
};

// The value of a variable of the environment; empty where it is not set.
using FindVariable = std::function<std::string(const char*)>;

// In a workflow always, elsewhere where it is asked for.
[[nodiscard]] std::optional<GitHubStep> github_step(const FindVariable& find_variable,
                                                    bool is_asked);

// Leaves what the step's other commands have said.
[[nodiscard]] Status add_to_summary(const decide::Gate& gate, const GitHubStep& step);

}  // namespace crossbind::app
