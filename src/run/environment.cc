#include "run/environment.h"

#include "run/revision.h"

namespace crossbind::run {

store::Environment environment_of(const place::Place& place, const std::string& version) {
  const auto host = place.host();
  store::Environment environment(host.begin(), host.end());
  environment["crossbind"] = version;
  environment["crossbind_revision"] = kRevision;
  return environment;
}

}  // namespace crossbind::run
