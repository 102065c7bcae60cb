// The version of the program.
#pragma once

namespace crossbind::app {

inline constexpr const char* kVersion = CROSSBIND_VERSION;

}  // namespace crossbind::app
