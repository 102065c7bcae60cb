// A machine for tests: a folder with workers that are ready without a setup, the real models, a
// cache that is empty.
#pragma once

#include <string>

#include "app/resources.h"
#include "workers/fixtures.h"

namespace crossbind::app {

class MachineTest : public workers::WorkersTest {
 protected:
  MachineTest();

  // toy-LANGUAGE, which trains, infers, saves and knows the layers of the LeNets; its program is
  // `true`.
  void add_ready_worker(const std::string& language);
  // A worker like a ready one, but not set up yet.
  void add_other_worker(const std::string& language);

  // Generated digits in the cache.
  void make_digits(int64_t train, int64_t test) const;

  // A study of lenet1 on glyphs-20-10 in all bindings: trains for one epoch and infers.
  [[nodiscard]] std::string write_study(const std::string& name) const;

  Machine machine_;
};

}  // namespace crossbind::app
