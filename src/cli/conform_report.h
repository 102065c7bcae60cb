// How what conform found looks: a table and a paragraph for each divergence, or JSON
// (docs/conform.md).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "conform/conformance.h"

namespace crossbind::cli {

// What was asked, to be said with the answers.
struct ConformSetting {
  std::string against = "referee";
  bool full = false;  // at real size, not at the [conform] geometries
  int64_t steps = 0;
  std::vector<uint32_t> seeds;
  std::chrono::duration<double> wall{0};
};

// "pytorch/rust on lenet5 diverges at step 3 in layer conv1, kind gradient, ...".
[[nodiscard]] std::string divergence_text(const std::string& binding,
                                          const std::string& model,
                                          const conform::Divergence& divergence);

// One line of a verdict, for progress.
[[nodiscard]] std::string verdict_line(const conform::Verdict& verdict);

[[nodiscard]] std::string conform_text(const conform::Conformance& report);
// A test case for each binding, model and part.
[[nodiscard]] std::string conform_junit(const conform::Conformance& report);
[[nodiscard]] std::string conform_json(const conform::Conformance& report,
                                       const ConformSetting& setting);

}  // namespace crossbind::cli
