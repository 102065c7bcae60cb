// The dashboard's server: a store, watched and shown, read-only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "claims/judged_list.h"
#include "process/endpoint.h"
#include "serve/access.h"
#include "serve/connections.h"
#include "serve/snapshot.h"

namespace crossbind::serve {

struct ServerSettings {
  std::string store;  // its place
  std::vector<claims::NamedList> claims;
  CountPlanned count_planned;  // may be empty
  Access::Rules access;
  Limits limits;
  size_t listeners = 64;  // to events, at a time
};

// Until the descriptor is readable. Fails when the store cannot be read to begin with; what happens
// to it later is said to those who ask.
[[nodiscard]] Status serve_store(const ServerSettings& settings,
                                 process::Listener listener,
                                 int stop_descriptor);

}  // namespace crossbind::serve
