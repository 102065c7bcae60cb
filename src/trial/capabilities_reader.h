// The table [capabilities] of a manifest, in the words of the protocol.
#pragma once

#include <toml++/toml.h>

#include "base/error.h"
#include "config/table_reader.h"
#include "trial/capabilities.h"

namespace crossbind::trial {

[[nodiscard]] Result<Capabilities> read_capabilities(const toml::table& table,
                                                     const config::Document& document);

}  // namespace crossbind::trial
