// The figures of a report as files, drawn by Vega in node.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "report/document.h"

namespace crossbind::app {

// Writes figures/ID.FORMAT in the folder; FORMAT is "svg" or "png". Without node, or without what
// npm installs when crossbind is built, an error that says which.
[[nodiscard]] Status write_figures(const report::Document& document,
                                   const std::filesystem::path& folder,
                                   const std::string& format);

}  // namespace crossbind::app
