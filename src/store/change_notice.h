// Tells that somebody else has written to a store, or has put another one in its place.
#pragma once

#include "base/error.h"

namespace crossbind::store {

class ChangeNotice {
 public:
  virtual ~ChangeNotice() = default;

  // Whether that has happened since the last call; the first time it has. An error is the store's,
  // which may be there again at the next call.
  [[nodiscard]] virtual Result<bool> has_changed() = 0;
};

}  // namespace crossbind::store
