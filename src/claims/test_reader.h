// The parts of a claims file below a check: grids, cells and tests. For claim_reader.cc.
#pragma once

#include <string>

#include "claims/claim.h"
#include "config/table_reader.h"

namespace crossbind::claims {

// What errors call a table, and the file it is in.
struct Where {
  const config::Document& document;
  std::string subject;
};

// A table of labels with one value or several, or an array of such tables. None without the key.
[[nodiscard]] Result<Grid> read_grid(config::TableReader& reader,
                                     const toml::table& table,
                                     std::string_view key,
                                     const Where& where);

// A table of labels with one value each; of none without the key.
[[nodiscard]] Result<Labels> read_labels(config::TableReader& reader,
                                         const toml::table& table,
                                         std::string_view key,
                                         const Where& where);

// The keys of one test; the reader may know others beside them.
[[nodiscard]] Result<Test> read_test(config::TableReader& reader,
                                     const toml::table& table,
                                     const Where& where);

}  // namespace crossbind::claims
