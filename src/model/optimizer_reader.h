// An optimizer as model files and studies write it: [optimizer] with every convention spelled out.
#pragma once

#include <toml++/toml.h>

#include "base/error.h"
#include "config/table_reader.h"
#include "model/training.h"

namespace crossbind::model {

[[nodiscard]] Result<Optimizer> read_optimizer(const toml::table& table,
                                               const config::Document& document);

}  // namespace crossbind::model
