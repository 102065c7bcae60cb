// The version of the program.
#pragma once

namespace crossbind::cli {

inline constexpr const char* kVersion = CROSSBIND_VERSION;

}  // namespace crossbind::cli
