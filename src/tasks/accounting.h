// What the accounts of timed tasks share: numbers of a worker's reports, checked. Only this folder
// includes it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "tasks/conduct.h"
#include "tasks/part_times.h"

namespace crossbind::tasks {

inline constexpr protocol::RequestId kWorkId = 2;  // after prepare

[[nodiscard]] int64_t batches_of(int64_t samples, int64_t batch_size);

[[nodiscard]] double seconds(int64_t nanoseconds);
[[nodiscard]] std::vector<double> seconds(const std::vector<int64_t>& nanoseconds);

// Whether it is from 0 to 1, where it is there.
[[nodiscard]] bool is_share(const std::optional<double>& value);

// The parts of so many steps; nothing where parts are not measured. Fails when one is left out.
[[nodiscard]] Result<PartTimes> parts_of(const protocol::Timings& timings,
                                         trial::Measure measure,
                                         int64_t steps);

// Asks for the work, and has the account take down what the worker reports of it.
template <typename Account>
[[nodiscard]] converse::Attempt<protocol::Done> ask(const Session& session,
                                                    const protocol::Request& request,
                                                    Account& account) {
  const int64_t epochs = session.job.settings.epochs;
  return session.dialogue.ask(request, [&](const protocol::Event& event) -> Status {
    if (const auto* timings = std::get_if<protocol::Timings>(&event)) {
      return account.add(*timings);
    }
    if (const auto* epoch = std::get_if<protocol::Epoch>(&event)) {
      session.on_progress({epoch->epoch, epochs, 0, 0});
      return account.add(*epoch);
    }
    if (const auto* progress = std::get_if<protocol::Progress>(&event)) {
      session.on_progress({progress->epoch, epochs, progress->step, progress->steps});
    }
    return {};
  });
}

// Moves what the worker wrote to where it stays.
[[nodiscard]] converse::Attempt<void> keep_file(const std::filesystem::path& from,
                                                const std::filesystem::path& to);

}  // namespace crossbind::tasks
