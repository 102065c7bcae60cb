#include "analysis/difference.h"

namespace crossbind::analysis {

Difference difference(double p, double smallest_p, std::optional<bool> is_above_noise) {
  if (smallest_p > kAlpha) {
    return Difference::kTooFew;
  }
  if (p > kAlpha) {
    return Difference::kNotFound;
  }
  if (!is_above_noise) {
    return Difference::kUnknownNoise;
  }
  return *is_above_noise ? Difference::kFound : Difference::kBelowNoise;
}

std::string_view to_string(Difference difference) {
  switch (difference) {
    case Difference::kTooFew:
      return "too few to tell";
    case Difference::kNotFound:
      return "no difference found";
    case Difference::kBelowNoise:
      return "below the noise";
    case Difference::kUnknownNoise:
      return "too few to know the noise";
    case Difference::kFound:
      return "they differ";
  }
  return "";
}

}  // namespace crossbind::analysis
