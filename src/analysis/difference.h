// Whether two samples differ: one rule for the report, the dashboard and `compare`, each of which
// has its own words and its own correction of p. The gate and recommendations ask for more.
#pragma once

#include <optional>
#include <string_view>

namespace crossbind::analysis {

inline constexpr double kAlpha = 0.05;

enum class Difference {
  kTooFew,        // samples of these sizes could not have shown one
  kNotFound,      // p is above alpha
  kBelowNoise,    // p is not, but a binding against itself is as far apart
  kUnknownNoise,  // p is not, but how far a binding is from itself is not known
  kFound,
};

// `smallest_p` is the least that samples of these sizes can have. Whether the difference is above
// the noise floor (docs/analysis.md): none where there is no floor.
[[nodiscard]] Difference difference(double p,
                                    double smallest_p,
                                    std::optional<bool> is_above_noise);

// "they differ", "too few to tell", ...
[[nodiscard]] std::string_view to_string(Difference difference);

}  // namespace crossbind::analysis
