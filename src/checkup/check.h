// One check of a worker: a conversation that is played with it, and what came of that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind::checkup {

class Examination;

enum class Mark { kOk, kWrong, kSkipped };

// What makes no sense any more when a check is wrong.
enum class Stops { kNothing, kGroup, kEverything };

struct Check {
  std::string_view group;
  std::string_view name;       // what a right worker does: "says hello over TCP"
  std::string_view paragraph;  // of PROTOCOL.md
  // An error is what was expected and what came; kUnsupported: why it cannot be played.
  Status (*play)(Examination&);
  Stops stops = Stops::kNothing;
};

// In the order in which they are played.
[[nodiscard]] std::vector<Check> all_checks();

[[nodiscard]] std::vector<Check> greeting_checks();
[[nodiscard]] std::vector<Check> ending_checks();
[[nodiscard]] std::vector<Check> prepare_checks();
[[nodiscard]] std::vector<Check> training_checks();
[[nodiscard]] std::vector<Check> parameter_checks();
[[nodiscard]] std::vector<Check> interruption_checks();
[[nodiscard]] std::vector<Check> inference_checks();
[[nodiscard]] std::vector<Check> probe_checks();
[[nodiscard]] std::vector<Check> query_checks();

template <typename... Args>
[[nodiscard]] tl::unexpected<Error> skip(fmt::format_string<Args...> reason, Args&&... args) {
  return fail(ErrorKind::kUnsupported, reason, std::forward<Args>(args)...);
}
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> wrong(fmt::format_string<Args...> what, Args&&... args) {
  return fail(ErrorKind::kInvalid, what, std::forward<Args>(args)...);
}

}  // namespace crossbind::checkup
