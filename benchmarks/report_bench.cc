// How fast the report of a large store is written, and how large its page is.
//   report_bench
// Writes a store of 10,000 trials and 1,000,000 samples in a temporary directory and removes it.
// Exits with 1 where a limit is missed.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "base/file.h"
#include "figures.h"
#include "large_store.h"
#include "report/render.h"
#include "store/open.h"

namespace {

using namespace crossbind;

constexpr double kMostSeconds = 5;
constexpr double kMostMegabytes = 5;

bool print(const char* key, const char* what, double value, double most, const char* unit) {
  std::printf("%-48s %9.3f %-4s at most %g\n", what, value, unit, most);
  note_figure(key, fmt::format("{:.3g} {}", value, unit), value <= most);
  return value <= most;
}

Result<bool> run() {
  CB_ASSIGN(const auto directory, TemporaryDirectory::create());
  const auto path = directory.path() / "bench.db";
  CB_TRY(benchmarks::write_large_store(path));
  const auto begin = std::chrono::steady_clock::now();
  CB_ASSIGN(const auto store, store::open_for_reading(path));
  CB_ASSIGN(const auto report, report::gather(*store, std::nullopt, {}));
  const auto gathered = std::chrono::steady_clock::now();
  const auto document = report::document_of(report);
  const std::string html = to_html(document, report::built_in_assets());
  size_t size = html.size() + to_markdown(document, "").size() + to_latex(document, "").size();
  for (const auto& file : to_csv(document)) {
    size += file.text.size();
  }
  const auto end = std::chrono::steady_clock::now();
  std::printf("%zu trials, %zu samples, %zu boxes gathered in %.3f s; %zu bytes in all\n",
              report.counts.trials,
              report.counts.samples,
              report.training.size() + report.inference.size(),
              std::chrono::duration<double>(gathered - begin).count(),
              size);
  const bool fast = print(
      "report", "report", std::chrono::duration<double>(end - begin).count(), kMostSeconds, "s");
  return print("page", "page", static_cast<double>(html.size()) / 1e6, kMostMegabytes, "MB") &&
         fast;
}

}  // namespace

int main() {
  const auto within = run();
  if (!within) {
    std::fprintf(stderr, "report_bench: %s\n", within.error().to_string().c_str());
    return 1;
  }
  return *within ? 0 : 1;
}
