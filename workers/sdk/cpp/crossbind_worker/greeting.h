// What a worker says of itself, from the one place that lists it: its manifest.
#pragma once

#include <filesystem>

#include "base/error.h"
#include "protocol/messages.h"

namespace crossbind::worker {

[[nodiscard]] Result<protocol::Hello> hello_from_manifest(const std::filesystem::path& path,
                                                          protocol::Texts versions);

}  // namespace crossbind::worker
