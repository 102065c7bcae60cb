// The requests of each task: a worker that has said hello is prepared and asked for the work; what
// it reports is checked and comes back as what was measured. Starts and ends no worker, and stores
// nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "converse/dialogue.h"
#include "tasks/assignment.h"
#include "tasks/measured.h"

namespace crossbind::tasks {

struct Progress {
  int64_t epoch = 0;
  int64_t epochs = 0;
  int64_t step = 0;
  int64_t steps = 0;  // of this epoch; 0: not known
};
using OnProgress = std::function<void(const Progress&)>;

// A worker at its assignment. All must outlive it.
struct Session {
  converse::Dialogue& dialogue;
  const Assignment& job;
  const std::filesystem::path& directory;  // an existing one, for what the worker writes
  const OnProgress& on_progress;
};

// The settings, by the names of the protocol, that the worker has in another form than requested.
[[nodiscard]] converse::Attempt<protocol::Texts> prepare(const Session& session);

// `effective` is what prepare() said.
[[nodiscard]] converse::Attempt<Measured> conduct(const Session& session,
                                                  const protocol::Texts& effective);

}  // namespace crossbind::tasks
