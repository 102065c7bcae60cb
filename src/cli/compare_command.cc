#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/number_file.h"
#include "stats/comparison.h"
#include "stats/dtw.h"
#include "stats/noise.h"

namespace crossbind::cli {
namespace {

using Numbers = std::vector<double>;

constexpr double kAlpha = 0.05;

// What the command line says; lives as long as the closures that read it.
struct CompareOptions {
  std::string a;
  std::string b;
  std::string method = "auto";
  uint32_t seed = 1;
  bool curves = false;
  bool json = false;
};

struct Warpings {
  stats::Warping exact;
  stats::Warping fast;
};

Result<Warpings> warp(const Numbers& a, const Numbers& b) {
  CB_ASSIGN(const auto exact, stats::dtw(a, b));
  CB_ASSIGN(const auto fast, stats::fastdtw(a, b));
  return Warpings{exact, fast};
}

std::string comparison_json(const stats::Comparison& found,
                            const std::optional<Warpings>& warpings) {
  using Json = nlohmann::ordered_json;
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
  if (warpings) {
    json["dtw_exact"] = warpings->exact.distance;
    json["dtw_fastdtw"] = warpings->fast.distance;
    json["dtw_exact_normalised"] = warpings->exact.normalised;
    json["dtw_fastdtw_normalised"] = warpings->fast.normalised;
  }
  return json_text(json);
}

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

// "Not significant" and "could not have been" are two things.
std::string verdict(const stats::Comparison& found) {
  if (found.test.p <= kAlpha && found.noise && !stats::is_above_noise(found.ratio, found.noise)) {
    return fmt::format("significant at {}, but the medians differ by less than the noise", kAlpha);
  }
  if (found.test.p <= kAlpha) {
    return fmt::format("they differ at {}", kAlpha);
  }
  if (found.smallest_p > kAlpha) {
    return fmt::format("samples of {} and {} cannot reach {}: the least p is {:.3g}",
                       found.n_a,
                       found.n_b,
                       kAlpha,
                       found.smallest_p);
  }
  return fmt::format("no difference at {} was found", kAlpha);
}

std::string comparison_text(const CompareOptions& options,
                            const stats::Comparison& found,
                            const std::optional<Warpings>& warpings) {
  std::string text = fmt::format(
      "A              {}: n = {}, median {:.6g}\n", options.a, found.n_a, found.median_a);
  text += fmt::format(
      "B              {}: n = {}, median {:.6g}\n", options.b, found.n_b, found.median_b);
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
                      verdict(found));
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

Result<int> compare(const CompareOptions& options) {
  CB_ASSIGN(const auto a, read_numbers(options.a));
  CB_ASSIGN(const auto b, read_numbers(options.b));
  CB_ASSIGN(
      const auto found,
      stats::compare(
          a, b, {.method = stats::u_method_named(options.method).value(), .seed = options.seed}));
  std::optional<Warpings> warpings;
  if (options.curves) {
    CB_ASSIGN(warpings, warp(a, b));
  }
  std::fputs(
      (options.json ? comparison_json(found, warpings) : comparison_text(options, found, warpings))
          .c_str(),
      stdout);
  return kSuccess;
}

}  // namespace

void add_compare_command(Command& program) {
  const auto options = std::make_shared<CompareOptions>();
  Command command = program.subcommand("compare", "Compare two files of numbers, one a line");
  command.option("A", options->a, "The first file, what B is measured against").required();
  command.option("B", options->b, "The second file").required();
  command.option("--method", options->method, "How p is computed")
      .one_of({"auto", "exact", "asymptotic", "permutation"})
      .shows_default();
  command.option("--seed", options->seed, "Of the resamples behind the interval").shows_default();
  command.flag("--curves", options->curves, "The files are curves: dynamic time warping too");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Example: crossbind compare python.txt rust.txt\n"
      "Empty lines and what follows a # are passed over. The ratio is that of the medians, with a\n"
      "percentile bootstrap interval. auto is exact when a file has 8 numbers or fewer and no two\n"
      "are equal, else asymptotic; exact with equal numbers is permutation. The noise is the ratio "
      "that\n"
      "halves of one file, scaled to the size of both, stay within in 95 of 100 deals; medians "
      "that\n"
      "are nearer to each other are not said to differ.\n"
      "Exit codes: 0 compared, 1 a file cannot be read or compared, 2 wrong usage.");
  command.runs([options] { return compare(*options); });
}

}  // namespace crossbind::cli
