// The folders that bindings are found in and set up in. All absolute.
#pragma once

#include <filesystem>

namespace crossbind::workers {

struct Places {
  std::filesystem::path workers;   // one folder a worker
  std::filesystem::path programs;  // of the crossbind executable
  std::filesystem::path guard;     // the program crossbind-guard
  std::filesystem::path cache;     // where setups install
};

}  // namespace crossbind::workers
