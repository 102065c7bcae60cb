// How training, inference, probes and queries are run and timed (PROTOCOL.md, 'train', 'infer',
// 'probe' and 'query'), once for all C++ bindings. A session supplies the pieces between the
// timers.
#pragma once

#include "base/error.h"
#include "crossbind_worker/job.h"
#include "crossbind_worker/serve.h"
#include "crossbind_worker/session.h"

namespace crossbind::worker {

// The job has training samples and an order.
[[nodiscard]] Result<Reply> run_training(Session& session,
                                         const Job& job,
                                         const protocol::Train& request,
                                         Conversation& conversation);

// The job has test samples.
[[nodiscard]] Result<Reply> run_inference(Session& session,
                                          const Job& job,
                                          const protocol::Infer& request,
                                          Conversation& conversation);

[[nodiscard]] Result<Reply> run_probe(Session& session,
                                      const Job& job,
                                      const protocol::Probe& request);

[[nodiscard]] Result<Reply> run_query(Session& session,
                                      const Job& job,
                                      const protocol::Query& request);

}  // namespace crossbind::worker
