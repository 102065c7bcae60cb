// One trial, ready to run: what a worker is to do, which one, and under which limits.
#pragma once

#include <filesystem>
#include <string>

#include "place/place.h"
#include "store/record.h"
#include "tasks/assignment.h"

namespace crossbind::run {

struct TrialJob : tasks::Assignment {
  std::string identity;
  store::Axes axes;
  process::Program command;
  place::Limits limits;
  bool is_shuffled = true;        // the order
  std::filesystem::path scratch;  // an existing directory: the trial's own is made in it
};

}  // namespace crossbind::run
