#include "cli/comparison_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/difference.h"
#include "cli/json_text.h"
#include "stats/noise.h"

namespace crossbind::cli {
namespace {

using analysis::Difference;
using analysis::kAlpha;

std::string ratio_text(const stats::Comparison& found) {
  if (!found.ratio) {
    return "unavailable: the median of A is 0";
  }
  if (!found.ratio_interval) {
    return fmt::format("{:.4g}  (interval unavailable)", *found.ratio);
  }
  return fmt::format("{:.4g}  (95 % interval {:.4g} to {:.4g})",
                     *found.ratio,
                     found.ratio_interval->low,
                     found.ratio_interval->high);
}

// Without a noise floor (numbers that are not above 0 have no ratio to have one of) a small p alone
// is no difference: the sentence has what was found, and leaves it at that.
std::string unknown_noise_text(const stats::Comparison& found) {
  const auto& interval = found.ratio_interval;
  return fmt::format(
      "significant at {} with n = {} and {}{}; no noise floor is known to hold it against",
      kAlpha,
      found.n_a,
      found.n_b,
      interval ? fmt::format(" and a ratio of {:.4g} to {:.4g}", interval->low, interval->high)
               : "");
}

// "Not significant" and "could not have been" are two things.
std::string difference_text(const stats::Comparison& found) {
  const auto is_above_noise =
      found.noise ? std::optional(stats::is_above_noise(found.ratio, found.noise)) : std::nullopt;
  switch (analysis::difference(found.test.p, found.smallest_p, is_above_noise)) {
    case Difference::kTooFew:
      return fmt::format("samples of {} and {} cannot reach {}: the least p is {:.3g}",
                         found.n_a,
                         found.n_b,
                         kAlpha,
                         found.smallest_p);
    case Difference::kNotFound:
      return fmt::format("no difference at {} was found", kAlpha);
    case Difference::kBelowNoise:
      return fmt::format("significant at {}, but the medians differ by less than the noise",
                         kAlpha);
    case Difference::kUnknownNoise:
      return unknown_noise_text(found);
    case Difference::kFound:
      return fmt::format("they differ at {}", kAlpha);
  }
  return "";
}

}  // namespace

std::string comparison_text(const ComparedFiles& files) {
  const auto& [a, b, found, warpings] = files;
  std::string text =
      fmt::format("A              {}: n = {}, median {:.6g}\n", a, found.n_a, found.median_a);
  text += fmt::format("B              {}: n = {}, median {:.6g}\n", b, found.n_b, found.median_b);
  text += fmt::format("B / A          {}\n", ratio_text(found));
  if (found.noise) {
    text += fmt::format(
        "noise          {:.4g} times: what one of them held against itself stays within\n",
        *found.noise);
  }
  text += fmt::format("Mann-Whitney   U = {}, p = {:.3g} ({}): {}\n",
                      found.test.u,
                      found.test.p,
                      to_string(found.test.method),
                      difference_text(found));
  text += fmt::format("Cliff's delta  {:.3f} ({})\n", found.cliffs_delta, to_string(found.effect));
  if (warpings) {
    text += fmt::format(
        "DTW, exact     {:.6g}, {:.4f} a point\nDTW, fastdtw   {:.6g}, {:.4f} a point\n",
        warpings->exact.distance,
        warpings->exact.normalised,
        warpings->fast.distance,
        warpings->fast.normalised);
  }
  return text;
}

std::string comparison_json(const ComparedFiles& files) {
  using Json = nlohmann::ordered_json;
  const auto& found = files.comparison;
  const auto& interval = found.ratio_interval;
  Json json = {{"n_a", found.n_a},
               {"n_b", found.n_b},
               {"median_a", found.median_a},
               {"median_b", found.median_b},
               {"ratio", found.ratio ? Json(*found.ratio) : Json()},
               {"ratio_low", interval ? Json(interval->low) : Json()},
               {"ratio_high", interval ? Json(interval->high) : Json()},
               {"noise", found.noise ? Json(*found.noise) : Json()},
               {"above_noise", stats::is_above_noise(found.ratio, found.noise)},
               {"u", found.test.u},
               {"p", found.test.p},
               {"method", to_string(found.test.method)},
               {"smallest_p", found.smallest_p},
               {"cliffs_delta", found.cliffs_delta},
               {"effect", to_string(found.effect)}};
  if (files.warpings) {
    json["dtw_exact"] = files.warpings->exact.distance;
    json["dtw_fastdtw"] = files.warpings->fast.distance;
    json["dtw_exact_normalised"] = files.warpings->exact.normalised;
    json["dtw_fastdtw_normalised"] = files.warpings->fast.normalised;
  }
  return json_text(json);
}

}  // namespace crossbind::cli
