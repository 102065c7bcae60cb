#include "tasks/accounting.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace crossbind::tasks {

int64_t batches_of(int64_t samples, int64_t batch_size) {
  return (samples + batch_size - 1) / batch_size;
}

double seconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

std::vector<double> seconds(const std::vector<int64_t>& nanoseconds) {
  std::vector<double> values;
  values.reserve(nanoseconds.size());
  for (const int64_t value : nanoseconds) {
    values.push_back(seconds(value));
  }
  return values;
}

bool is_share(const std::optional<double>& value) {
  return !value || (*value >= 0 && *value <= 1);
}

Result<PartTimes> parts_of(const protocol::Timings& timings,
                           trial::Measure measure,
                           int64_t steps) {
  if (measure == trial::Measure::kTotal) {
    return PartTimes();
  }
  const auto is_complete = [&](const std::vector<int64_t>& times) {
    return static_cast<int64_t>(times.size()) == steps;
  };
  const bool has_backward = timings.phase == protocol::Phase::kTrain;
  if (!is_complete(timings.load_ns) || !is_complete(timings.forward_ns) ||
      (has_backward && !is_complete(timings.backward_ns))) {
    return fail(ErrorKind::kInvalid,
                "was to time the parts of {} steps, but timed {} loads, {} forwards, {} backwards",
                steps,
                timings.load_ns.size(),
                timings.forward_ns.size(),
                timings.backward_ns.size());
  }
  return PartTimes{
      seconds(timings.load_ns), seconds(timings.forward_ns), seconds(timings.backward_ns)};
}

converse::Attempt<void> keep_file(const std::filesystem::path& from,
                                  const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::create_directories(to.parent_path(), error);
  std::filesystem::rename(from, to, error);
  if (error) {
    return converse::because(converse::Failure{
        fmt::format("cannot keep what it wrote as {}: {}", to.string(), error.message())});
  }
  return {};
}

}  // namespace crossbind::tasks
