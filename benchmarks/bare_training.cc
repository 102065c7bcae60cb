// One epoch of the referee without guard, socket and harness: the loop that reference/cpp times,
// and nothing around it.
//   bare_training [PREPARE]
// PREPARE is a file with the 'prepare' that the worker gets. Prints the nanoseconds of the epoch
// and its loss. Whoever starts it pins it. Without PREPARE it is the worker itself: both sides of a
// comparison are then one program, with the same code at the same addresses.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "base/file.h"
#include "protocol/codec.h"
#include "referee_binding.h"
#include "referee_session.h"

namespace crossbind::worker {
namespace {

void step(RefereeSession& session) {
  session.load();
  session.forward();
  session.backward();
}

Status run(const std::filesystem::path& path) {
  CB_ASSIGN(const std::string line, read_file(path));
  CB_ASSIGN(const protocol::Request request, protocol::decode_request(line));
  const auto* prepare = std::get_if<protocol::Prepare>(&request);
  if (prepare == nullptr || !prepare->order || !prepare->data) {
    return fail(ErrorKind::kInvalid, "{} is no 'prepare' for a training", path.string());
  }
  CB_ASSIGN(const Job job, read_job(*prepare));
  const std::span<const BatchIds> batches = job.order.front();
  CB_ASSIGN(const auto owned, RefereeSession::open(job));
  RefereeSession& session = *owned;

  const auto warmup = static_cast<size_t>(prepare->settings.warmup_steps);
  session.begin_epoch(batches.first(warmup));
  for (size_t i = 0; i < warmup; ++i) {
    step(session);
  }
  CB_TRY(session.restore());
  session.begin_epoch(batches);
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < batches.size(); ++i) {
    step(session);
  }
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {}\n", time.count(), session.end_epoch().loss);
  return {};
}

}  // namespace
}  // namespace crossbind::worker

int main(int argc, char** argv) {
  if (argc != 2) {
    return crossbind::worker::serve_referee();
  }
  const auto status = crossbind::worker::run(argv[1]);
  if (!status) {
    std::fputs((status.error().to_string() + "\n").c_str(), stderr);
  }
  return status ? 0 : 1;
}
