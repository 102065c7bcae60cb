#include "testing/testing.h"

#include <cstdlib>
#include <sstream>

namespace crossbind::testing {

// A test without a scratch directory cannot run at all: let value() throw and fail it.
ScratchTest::ScratchTest() : directory_(TemporaryDirectory::create().value()) {}

bool must_run(const std::string& name) {
  const char* list = std::getenv("CROSSBIND_MUST_RUN");
  std::istringstream words(list == nullptr ? "" : list);
  for (std::string word; words >> word;) {
    if (word == name) {
      return true;
    }
  }
  return false;
}

}  // namespace crossbind::testing
