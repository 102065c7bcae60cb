// A report of a store, and the files that it becomes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "claims/judged_list.h"
#include "report/document.h"
#include "report/report.h"
#include "store/store_reader.h"

namespace crossbind::app {

// What a report is made of beside the store.
struct ReportSources {
  std::string study;                      // only its trials, by name or id; empty: all
  std::vector<claims::NamedList> claims;  // those that ask about something else are left out
  std::filesystem::path conform;          // what `conform --json` printed; empty: nothing
};
[[nodiscard]] Result<report::Report> gather_report(const store::StoreReader& store,
                                                   const ReportSources& sources);

// The page, its forms as text and a CSV file a table; with `figures` ("svg", "png") every figure
// too, in a folder of its own. Makes the folder.
[[nodiscard]] Status write_report(const report::Document& document,
                                  const std::string& figures,
                                  const std::filesystem::path& folder);

// A table and a badge for the documentation of a binding, in a folder that is there.
[[nodiscard]] Status write_badge(const report::Report& report,
                                 const std::string& binding,
                                 const std::filesystem::path& folder);

}  // namespace crossbind::app
