#include "app/workplace.h"

#include "app/version.h"
#include "run/environment.h"

namespace crossbind::app {

Workplace::Workplace(TemporaryDirectory scratch, const Machine& machine, place::Reach reach)
    : scratch_(std::move(scratch)),
      place_(machine.workers.guard, scratch_.path()),
      launcher_(place_, {.version = kVersion}, reach) {}

Result<std::unique_ptr<Workplace>> Workplace::open(const Machine& machine,
                                                   const std::string& purpose,
                                                   place::Reach reach) {
  CB_ASSIGN(auto scratch, TemporaryDirectory::create_in(machine.cache / purpose));
  return std::unique_ptr<Workplace>(new Workplace(std::move(scratch), machine, reach));
}

store::Environment Workplace::environment() const {
  return run::environment_of(place_, kVersion);
}

}  // namespace crossbind::app
