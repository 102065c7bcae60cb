#include <cstdio>
#include <memory>

#include "app/number_file.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/comparison_text.h"

namespace crossbind::cli {
namespace {

using Numbers = std::vector<double>;

// What the command line says; lives as long as the closures that read it.
struct CompareOptions {
  std::string a;
  std::string b;
  std::string method = "auto";
  uint32_t seed = 1;
  bool curves = false;
  bool json = false;
};

Result<Warpings> warp(const Numbers& a, const Numbers& b) {
  CB_ASSIGN(const auto exact, stats::dtw(a, b));
  CB_ASSIGN(const auto fast, stats::fastdtw(a, b));
  return Warpings{exact, fast};
}

Result<int> compare(const CompareOptions& options) {
  CB_ASSIGN(const auto a, app::read_numbers(options.a));
  CB_ASSIGN(const auto b, app::read_numbers(options.b));
  ComparedFiles files{.a = options.a, .b = options.b};
  CB_ASSIGN(
      files.comparison,
      stats::compare(
          a, b, {.method = stats::u_method_named(options.method).value(), .seed = options.seed}));
  if (options.curves) {
    CB_ASSIGN(files.warpings, warp(a, b));
  }
  std::fputs((options.json ? comparison_json(files) : comparison_text(files)).c_str(), stdout);
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
      "are nearer to each other are not said to differ, nor are any where no noise is known.\n"
      "Exit codes: 0 compared, 1 a file cannot be read or compared, 2 wrong usage.");
  command.runs([options] { return compare(*options); });
}

}  // namespace crossbind::cli
