// Starts workers in a place, for all who speak to them. Safe to use from several threads if the
// place is.
#pragma once

#include <memory>
#include <string>

#include "converse/worker.h"
#include "place/place.h"

namespace crossbind::converse {

class Launcher {
 public:
  Launcher(place::Place& place, Manners manners, place::Reach reach = place::Reach::kUsual)
      : place_(place),
        manners_(std::move(manners)),
        reach_(reach) {}

  // A worker that has not been greeted. `binding` is what it must call itself; empty: anything.
  // Borrows the launcher.
  [[nodiscard]] Result<std::unique_ptr<Worker>> launch(const std::string& binding,
                                                       const process::Program& program,
                                                       const place::Limits& limits) {
    return launch(binding, program, limits, reach_);
  }
  [[nodiscard]] Result<std::unique_ptr<Worker>> launch(const std::string& binding,
                                                       const process::Program& program,
                                                       const place::Limits& limits,
                                                       place::Reach reach) {
    CB_ASSIGN(auto running,
              place_.start(binding,
                           program,
                           limits,
                           {reach, protocol::kEndpointVariable, protocol::kTokenVariable}));
    return std::make_unique<Worker>(binding, std::move(running), manners_);
  }

 private:
  place::Place& place_;
  Manners manners_;
  place::Reach reach_;
};

}  // namespace crossbind::converse
