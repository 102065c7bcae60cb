#include "app/gate.h"

#include <cstdio>

#include "decide/gate_report.h"
#include "store/open.h"

namespace crossbind::app {
namespace {

Status append_to_file(const std::filesystem::path& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) {
    return fail_errno("append to", path.string());
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) {
    return fail_errno("append to", path.string());
  }
  return {};
}

}  // namespace

Result<decide::Gate> gate_between(const GateRequest& request) {
  CB_ASSIGN(const auto baseline, store::open_for_reading(request.baseline));
  CB_ASSIGN(const auto candidate, store::open_for_reading(request.candidate));
  return decide::compare_stores(*baseline, *candidate, request.options);
}

Result<decide::SelfTest> gate_on_itself(const std::string& store,
                                        const decide::TimeLimits& limits,
                                        const decide::SelfTestOptions& options) {
  CB_ASSIGN(const auto reader, store::open_for_reading(store));
  return decide::self_test(*reader, limits, options);
}

std::optional<GitHubStep> github_step(const FindVariable& find_variable, bool is_asked) {
  if (!is_asked && find_variable("GITHUB_ACTIONS") != "true") {
    return std::nullopt;
  }
  return GitHubStep{find_variable("GITHUB_STEP_SUMMARY")};
}

Status add_to_summary(const decide::Gate& gate, const GitHubStep& step) {
  return step.summary.empty() ? Status()
                              : append_to_file(step.summary, decide::gate_markdown(gate));
}

}  // namespace crossbind::app
