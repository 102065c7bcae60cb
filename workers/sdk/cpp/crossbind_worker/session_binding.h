// A binding that makes a session of each job: knows what is prepared, refuses what the worker does
// not claim, and runs the procedures.
#pragma once

#include <memory>

#include "crossbind_worker/job.h"
#include "crossbind_worker/serve.h"
#include "crossbind_worker/session.h"
#include "trial/capabilities.h"

namespace crossbind::worker {

class SessionBinding : public Binding {
 public:
  explicit SessionBinding(trial::Capabilities capabilities)
      : capabilities_(std::move(capabilities)) {}

  [[nodiscard]] Result<protocol::Done> prepare(const protocol::Prepare& request) final;
  [[nodiscard]] Result<Reply> train(const protocol::Train& request,
                                    Conversation& conversation) final;
  [[nodiscard]] Result<Reply> infer(const protocol::Infer& request,
                                    Conversation& conversation) final;
  [[nodiscard]] Result<Reply> probe(const protocol::Probe& request) final;
  [[nodiscard]] Result<Reply> query(const protocol::Query& request) final;

 protected:
  // The session borrows the job.
  [[nodiscard]] virtual Result<std::unique_ptr<Session>> open(const Job& job) = 0;

 private:
  [[nodiscard]] Status check(const Job& job, trial::Task task) const;
  [[nodiscard]] Status check(const protocol::Query& request) const;
  [[nodiscard]] protocol::Texts departures() const;

  trial::Capabilities capabilities_;
  std::unique_ptr<Job> job_;  // borrowed by the session, which goes first
  std::unique_ptr<Session> session_;
};

}  // namespace crossbind::worker
