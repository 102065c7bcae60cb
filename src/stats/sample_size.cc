#include "stats/sample_size.h"

#include <cmath>

#include "stats/input.h"
#include "tensor/normal.h"

namespace crossbind::stats {

Result<size_t> samples_for(double larger, double alpha, double power) {
  CB_TRY(check_probability(alpha, "alpha"));
  CB_TRY(check_probability(power, "the power"));
  if (!(larger > 0.5 && larger <= 1)) {
    return fail(ErrorKind::kInvalid,
                "no number of samples finds a difference that is larger with probability {}",
                larger);
  }
  const double z = tensor::normal_quantile(1 - alpha) + tensor::normal_quantile(power);
  const double distance = larger - 0.5;
  return static_cast<size_t>(std::ceil(z * z / (6 * distance * distance)));
}

}  // namespace crossbind::stats
