// What a study asks for must be possible: combinations that no machine can run are errors of the
// file, at their line.
#pragma once

#include <toml++/toml.h>

#include "base/error.h"
#include "config/table_reader.h"
#include "spec/study.h"

namespace crossbind::spec {

// `root` is the file that `study` was read from.
[[nodiscard]] Status check_study(const Study& study,
                                 const toml::table& root,
                                 const config::Document& document);

}  // namespace crossbind::spec
