// What a report notes of each trial beside what the analysis takes from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/record.h"

namespace crossbind::report {

struct Note {
  std::vector<store::EpochPoint> curve;
  std::optional<uint64_t> peak_memory;
  std::string reason;  // why it is not done
  std::string log;
  size_t log_bytes = 0;
  size_t samples = 0;
};

using Notes = std::unordered_map<std::string, Note>;  // by identity

}  // namespace crossbind::report
