#include "recording.h"

namespace crossbind::worker {

bool can_record() {
  return false;
}

std::unique_ptr<Recording> record(const std::function<void()>& /*before*/,
                                  const std::function<void()>& /*work*/) {
  return nullptr;
}

}  // namespace crossbind::worker
