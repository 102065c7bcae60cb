// How long the dashboard's pages of a large store take, from opening the store on.
//   serve_bench
// Writes a store of 10,000 trials and 1,000,000 samples in a temporary directory and removes it.
// Exits with 1 where the first page takes too long.
#include <chrono>
#include <cstdio>

#include "base/file.h"
#include "figures.h"
#include "large_store.h"
#include "serve/routes.h"

namespace {

using namespace crossbind;
using Clock = std::chrono::steady_clock;

constexpr double kMostSeconds = 1;

class Stopwatch {
 public:
  double seconds() {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(begin_, now)).count();
  }

 private:
  Clock::time_point begin_ = Clock::now();
};

// Prints how long each took; the sum.
Result<double> ask(const serve::Site& site, const std::vector<serve::Request>& requests) {
  double sum = 0;
  for (const auto& request : requests) {
    Stopwatch watch;
    const auto response = serve::answer(request, site);
    const double seconds = watch.seconds();
    if (response.status != 200) {
      return fail(ErrorKind::kInvalid, "{}: {}", request.path, response.body);
    }
    std::printf(
        "  %-40s %9.3f s %10zu bytes\n", request.path.c_str(), seconds, response.body.size());
    sum += seconds;
  }
  return sum;
}

serve::Request get(const std::string& path, std::vector<serve::Parameter> query = {}) {
  serve::Request request;
  request.path = path;
  request.query = std::move(query);
  request.host = "localhost";
  return request;
}

Result<bool> run() {
  CB_ASSIGN(const auto directory, TemporaryDirectory::create());
  const auto path = directory.path() / "bench.db";
  CB_TRY(benchmarks::write_large_store(path));

  Stopwatch watch;
  serve::LiveStore live([&] { return store::open_for_reading(path); });
  serve::Reports reports(live, {});
  const serve::Access access({});
  const auto files = serve::built_in_files();
  serve::Seats seats(1);
  const serve::Site site{live, reports, access, files, seats};
  CB_TRY(live.refresh());
  const double opened = watch.seconds();
  std::printf("the store\'s lists are read in %.3f s; then\n", opened);
  std::vector<serve::Request> first;
  for (const auto& file : files) {
    first.push_back(get(file.path));
  }
  first.push_back(get("/api/v1/studies"));
  first.push_back(get("/api/v1/progress"));
  first.push_back(get("/api/v1/trials", {{"limit", "10"}}));
  CB_ASSIGN(const double asked, ask(site, first));
  const double all = opened + asked;
  std::printf("%-42s %9.3f s at most %g\n", "the first page", all, kMostSeconds);
  note_figure("dashboard", fmt::format("{:.3g} s", all), all <= kMostSeconds);

  watch.seconds();
  static_cast<void>(reports.find(""));
  if (!reports.make_next()) {
    return fail(ErrorKind::kInvalid, "no report was made");
  }
  std::printf("%-42s %9.3f s, in the background; then\n", "the report is made", watch.seconds());
  CB_TRY(ask(
      site,
      {get("/api/v1/report"),
       get("/api/v1/comparison", {{"a", "pytorch/python"}, {"b", "tensorflow/rust"}}),
       get("/api/v1/trials", {{"binding", "pytorch/rust"}, {"offset", "500"}, {"limit", "500"}}),
       get(fmt::format("/api/v1/trials/{:032x}", 2))}));
  return all <= kMostSeconds;
}

}  // namespace

int main() {
  const auto within = run();
  if (!within) {
    std::fprintf(stderr, "serve_bench: %s\n", within.error().to_string().c_str());
    return 1;
  }
  return *within ? 0 : 1;
}
