// The referee as a binding.
#pragma once

#include <memory>

#include "crossbind_worker/session_binding.h"

namespace crossbind::worker {

class RefereeBinding final : public SessionBinding {
 public:
  using SessionBinding::SessionBinding;

 private:
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const Job& job) override;
};

// What the worker says of itself.
[[nodiscard]] protocol::Hello referee_greeting();

// Serves until crossbind says bye; the exit code.
[[nodiscard]] int serve_referee();

}  // namespace crossbind::worker
