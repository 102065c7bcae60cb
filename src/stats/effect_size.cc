#include "stats/effect_size.h"

#include <array>
#include <cmath>

#include "base/named.h"
#include "stats/input.h"
#include "stats/pooled.h"

namespace crossbind::stats {
namespace {

constexpr std::array kMagnitudes = {Named<Magnitude>{"negligible", Magnitude::kNegligible},
                                    Named<Magnitude>{"small", Magnitude::kSmall},
                                    Named<Magnitude>{"medium", Magnitude::kMedium},
                                    Named<Magnitude>{"large", Magnitude::kLarge}};

Status check_both(std::span<const double> a, std::span<const double> b) {
  CB_TRY(check_ordered(a, "sample a"));
  return check_ordered(b, "sample b");
}

double delta_of(const Pooled& pooled, double n_a, double n_b) {
  return (static_cast<double>(pooled.twice_u) - n_a * n_b) / (n_a * n_b);
}

}  // namespace

std::string_view to_string(Magnitude magnitude) {
  return name_in(kMagnitudes, magnitude);
}

Magnitude magnitude_of(double cliffs_delta) {
  const double size = std::fabs(cliffs_delta);
  if (size <= 0.147) {
    return Magnitude::kNegligible;
  }
  if (size <= 0.33) {
    return Magnitude::kSmall;
  }
  return size <= 0.474 ? Magnitude::kMedium : Magnitude::kLarge;
}

Result<double> cliffs_delta(std::span<const double> a, std::span<const double> b) {
  CB_TRY(check_both(a, b));
  return delta_of(pool(a, b), static_cast<double>(a.size()), static_cast<double>(b.size()));
}

Result<double> vargha_delaney(std::span<const double> a, std::span<const double> b) {
  CB_TRY(check_both(a, b));
  return static_cast<double>(pool(a, b).twice_u) /
         (2 * static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

}  // namespace crossbind::stats
