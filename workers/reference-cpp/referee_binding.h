// The referee as a binding: what 'prepare' gave it, and the session that trains and infers.
#pragma once

#include <memory>
#include <vector>

#include "crossbind_worker/procedure.h"
#include "crossbind_worker/serve.h"
#include "referee_session.h"

namespace crossbind::worker {

class RefereeBinding final : public Binding {
 public:
  [[nodiscard]] Result<protocol::Done> prepare(const protocol::Prepare& request) override;
  [[nodiscard]] Result<Reply> train(const protocol::Train& request,
                                    Conversation& conversation) override;
  [[nodiscard]] Result<Reply> infer(const protocol::Infer& request,
                                    Conversation& conversation) override;
  [[nodiscard]] Result<Reply> probe(const protocol::Probe& request) override;

 private:
  std::unique_ptr<Material> material_;  // borrowed by the session
  trial::Settings settings_;
  std::vector<std::vector<BatchIds>> order_;
  std::unique_ptr<RefereeSession> session_;
};

// What the worker says of itself.
[[nodiscard]] protocol::Hello referee_greeting();

}  // namespace crossbind::worker
