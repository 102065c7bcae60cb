// One piece of work on a Progress: begins with the object and ends with it, also when an error
// returns early, so that an error message never lands on the progress line.
#pragma once

#include <string>

#include "base/progress.h"

namespace crossbind::data {

class Stage {
 public:
  Stage(Progress& progress, const std::string& label, uint64_t total, const std::string& unit)
      : progress_(progress) {
    progress_.begin(label, total, unit);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() { progress_.end(); }

  void advance(uint64_t done) { progress_.advance(done); }

 private:
  Progress& progress_;
};

}  // namespace crossbind::data
