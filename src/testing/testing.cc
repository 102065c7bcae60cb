#include "testing/testing.h"

namespace crossbind::testing {

// A test without a scratch directory cannot run at all: let value() throw and fail it.
ScratchTest::ScratchTest() : directory_(TemporaryDirectory::create().value()) {}

}  // namespace crossbind::testing
